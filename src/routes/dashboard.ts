import { type Context, Hono } from "hono";
import { assetsOf } from "#env.ts";
import type { AppEnv } from "#http/context.ts";
import { pageHeaders } from "#http/page-headers.ts";

/** The part of index.html that shows the frame of a program's pages before the scripts have loaded. */
const frameOfProgram = /(?<=<div id="app">)<div class="frame"[\s\S]*<\/div>(?=<\/div>\s*<\/body>)/;

/** Serves an app's index.html at every path below the app, except for assets: a missing asset must be a 404. */
const pageOf = (app: string) => async (c: Context<AppEnv>) => {
  const assets = assetsOf(c.env);
  if (assets === undefined || c.req.path.startsWith(`${app}assets/`)) return c.notFound();
  const page = await assets.fetch(new URL(app, c.req.url));
  for (const [name, value] of Object.entries(pageHeaders)) c.header(name, value);
  c.header("Cache-Control", "no-cache");
  const html = await page.text();
  return c.html(c.req.path.startsWith(`${app}programs/`) ? html : html.replace(frameOfProgram, ""));
};

export const dashboard = new Hono<AppEnv>()
  .get("/", (c) => c.redirect("/app/"))
  .get("/app/*", pageOf("/app/"))
  .get("/partner/*", pageOf("/partner/"));
