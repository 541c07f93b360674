import { Hono } from "hono";
import { assetsOf } from "#env.ts";
import type { AppEnv } from "#http/context.ts";
import { pageHeaders } from "#http/page-headers.ts";

const isAsset = (path: string): boolean => path.startsWith("/app/assets/");

/** Serves the page at every path under `/app/`, except for assets: a missing one must be a 404. */
export const dashboard = new Hono<AppEnv>()
  .get("/", (c) => c.redirect("/app/"))
  .get("/app/*", async (c) => {
    const assets = assetsOf(c.env);
    if (assets === undefined || isAsset(c.req.path)) return c.notFound();
    const page = await assets.fetch(new URL("/app/", c.req.url));
    for (const [name, value] of Object.entries(pageHeaders)) c.header(name, value);
    c.header("Cache-Control", "no-cache");
    return c.html(await page.text());
  });
