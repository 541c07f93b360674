import { createHash } from "node:crypto";
import type { Context } from "hono";
import { assetsOf } from "#env.ts";
import type { AppEnv } from "#http/context.ts";
import { isCookieSecure, sessionCookieName } from "#http/session-cookie.ts";
import { originOf } from "#http/transport.ts";

/** Stands in the built documents for the service's origin. `.invalid` is reserved: RFC 6761. */
export const originPlaceholder = "https://origin.invalid";

/** In the folder of public files. The Worker alone reads them. */
export const documentFiles = {
  tracking: "/docs/documents/tracking.json",
  session: "/docs/documents/session.json",
  partner: "/docs/documents/partner.json",
  reference: "/docs/documents/reference.html",
} as const;

/** Serves a document that the build generated, with the origin and cookie name of this request. */
export async function builtDocument(c: Context<AppEnv>, file: string): Promise<Response> {
  const found = await assetsOf(c.env)?.fetch(new URL(file, originOf(c)));
  if (!found?.ok) return c.notFound();
  const text = (await found.text())
    .replaceAll(originPlaceholder, originOf(c))
    .replaceAll(sessionCookieName(true), sessionCookieName(isCookieSecure(c)));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  c.header("ETag", etag);
  c.header("Cache-Control", "no-cache");
  // A proxy that compresses makes the tag a weak one.
  const known = (c.req.header("If-None-Match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known.includes(etag)) return c.body(null, 304);
  return file.endsWith(".html") ? c.html(text) : c.body(text, 200, { "Content-Type": "application/json" });
}
