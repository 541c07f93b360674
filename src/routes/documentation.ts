import { createHash } from "node:crypto";
import { Hono } from "hono";
import { assetsOf } from "#env.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import type { AppEnv } from "#http/context.ts";

export const documentation = new Hono<AppEnv>()
  .get("/api/v1/openapi.json", (c) => builtDocument(c, documentFiles.tracking))
  .get("/docs/guides/*", async (c) => {
    const assets = assetsOf(c.env);
    if (assets === undefined) return c.notFound();
    const page = await assets.fetch(c.req.raw);
    if (page.status !== 404) return new Response(page.body, page);
    const { body, headers } = await assets.fetch(new URL("/docs/guides/not-found/", c.req.url));
    const notFound = new Response(body, { status: 404, headers });
    notFound.headers.set("Cache-Control", "no-store");
    return notFound;
  })
  .get("/docs", async (c) => {
    const { style } = await import("./docs/style.ts");
    const styleHash = createHash("sha256").update(style).digest("base64");
    c.header(
      "Content-Security-Policy",
      `default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    return builtDocument(c, documentFiles.reference);
  });
