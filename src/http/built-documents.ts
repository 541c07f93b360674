import { createHash } from "node:crypto";
import type { Context } from "hono";
import { assetsOf, type Env } from "#env.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { AppEnv } from "./context.ts";
import { perEnv } from "./per-env.ts";
import { isCookieSecure, sessionCookieName } from "./session-cookie.ts";
import { originOf } from "./transport.ts";

/** Placeholder for the service's origin in the built documents. RFC 6761 reserves `.invalid`. */
export const originPlaceholder = "https://origin.invalid";

/** Paths in the folder of public files. Only the Worker reads them. */
export const documentFiles = {
  tracking: "/docs/documents/tracking.json",
  session: "/docs/documents/session.json",
  partner: "/docs/documents/partner.json",
  embed: "/docs/documents/embed.json",
  reference: "/docs/documents/reference.html",
} as const;

interface Made {
  readonly text: string;
  readonly etag: string;
}

/** Has room for all documents, each with two origins. It is limited, because a caller can invent origins. */
const madeOf = perEnv(() => new BoundedCache<Made>(10));

/** Serves a document that the build generated, with the origin and cookie name of this request. */
export async function builtDocument(c: Context<AppEnv>, file: string): Promise<Response> {
  const origin = originOf(c);
  const cookie = sessionCookieName(isCookieSecure(c));
  const known = madeOf(c);
  const name = `${file} ${cookie} ${origin}`;
  const made = known.get(name) ?? (await make(c, file, { origin, cookie }));
  if (made === undefined) return c.notFound();
  const { text, etag } = known.set(name, made);
  c.header("ETag", etag);
  c.header("Cache-Control", "no-cache");
  // A proxy that compresses responses changes the ETag to a weak one.
  const tags = (c.req.header("If-None-Match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (tags.includes(etag)) return c.body(null, 304);
  return file.endsWith(".html") ? c.html(text) : c.body(text, 200, { "Content-Type": "application/json" });
}

async function make(
  { env }: { readonly env: Env },
  file: string,
  { origin, cookie }: { readonly origin: string; readonly cookie: string },
): Promise<Made | undefined> {
  const found = await assetsOf(env)?.fetch(new URL(file, origin));
  if (!found?.ok) return undefined;
  const text = (await found.text()).replaceAll(originPlaceholder, origin).replaceAll(sessionCookieName(true), cookie);
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
