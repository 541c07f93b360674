import { createHash } from "node:crypto";
import { Hono } from "hono";
import { assetsOf } from "#env.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { originOf } from "#http/transport.ts";

// Loaded late, so that no click waits for it.
const document = async (c: Ctx) => (await import("./openapi/document.ts")).openApiDocument(originOf(c));

export const documentation = new Hono<AppEnv>()
  .get("/api/v1/openapi.json", async (c) => c.json(await document(c)))
  .get("/docs/guides/*", async (c) => {
    const page = await assetsOf(c.env)?.fetch(c.req.raw);
    return page === undefined || page.status === 404 ? c.notFound() : new Response(page.body, page);
  })
  .get("/docs", async (c) => {
    const { docsPage, newestSdk, style } = await import("./docs/page.ts");
    const styleHash = createHash("sha256").update(style).digest("base64");
    c.header(
      "Content-Security-Policy",
      `default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    c.header("Cache-Control", "no-cache");
    return c.html(docsPage(await document(c), await newestSdk(assetsOf(c.env), originOf(c))));
  });
