import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused, unavailable } from "#domain/result.ts";
import type { AppEnv, Ctx } from "./context.ts";
import { networkKeys } from "./network-keys.ts";
import { refuseAfterKeyCheck } from "./refusal/refuse.ts";
import { findTextError } from "./schema/json-rules.ts";
import { crowded, type Hold, tooSlow, withinPatience } from "./unfinished-bodies.ts";

type MediaType = "application/json" | "text/plain";

const defaultKibibytes = 64;
/** Memory that a pending read of a stream takes. */
const chunkBytes = 4 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export const jsonBody = (types: readonly MediaType[], kibibytes = defaultKibibytes, findError = findTextError) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const refusal = await readJsonBody(c, types, kibibytes, findError);
    return refusal === undefined ? next() : refuseAfterKeyCheck(c, refusal);
  });

export function withJsonBody<Steps extends MiddlewareHandler[], Rest>(
  guard: Rest & { readonly middleware: [...Steps] },
  kibibytes = defaultKibibytes,
) {
  const { middleware, ...rest } = guard;
  const steps: [...Steps, MiddlewareHandler<AppEnv>] = [...middleware, jsonBody(["application/json"], kibibytes)];
  return { ...rest, middleware: steps };
}

type Body = Readonly<Record<string, unknown>>;
export type BodyCtx = Ctx & { set(name: "body", body: Body): void };

/**
 * Adds `cf`, which has the client's address, to a copy of a request. The constructor of `Request` doesn't copy `cf`.
 */
export const withClientOf = (request: Request, copy: Request): Request =>
  Object.defineProperty(copy, "cf", { get: () => request.cf });

/**
 * Reads the body and sets `body`. Changes its media type to `application/json`, because the validators would treat
 * `text/plain` as an empty object.
 */
export async function readJsonBody(
  c: BodyCtx,
  types: readonly MediaType[],
  kibibytes = defaultKibibytes,
  findError = findTextError,
): Promise<Refusal | undefined> {
  const request = c.req.raw;
  if (!hasMediaType(request, types)) return { code: "unsupported_media_type" };
  if (isEncoded(request)) return { code: "unsupported_content_encoding" };
  const text = await readText(request, networkKeys(c).device, kibibytes);
  if (!text.ok) return text.refusal;
  const body = parseObject(text.value, findError);
  if (!body.ok) return body.refusal;

  c.set("body", body.value);
  if (request.headers.get("Content-Type") !== "application/json") {
    const headers = new Headers(request.headers);
    headers.set("Content-Type", "application/json");
    c.req.raw = withClientOf(request, new Request(request, { headers, body: text.value }));
  }
  // Hono caches the text of a body here. The cached value is a promise, although its type says otherwise.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text.value) });
  return undefined;
}

/** Also returns false if the request states a charset other than UTF-8. */
export function hasMediaType(request: Request, types: readonly string[]): boolean {
  const contentType = request.headers.get("Content-Type") ?? "";
  if (types.includes(contentType)) return true;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1]).find(Boolean);
  return types.includes(type.trim()) && (charset ?? "utf-8") === "utf-8";
}

const isEncoded = ({ headers }: Request): boolean =>
  !["", "identity"].includes(headers.get("Content-Encoding")?.trim().toLowerCase() ?? "");

async function readText(request: Request, sender: string, kibibytes: number): Promise<Result<string>> {
  const maxBytes = kibibytes * 1024;
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (length > maxBytes) return refused({ code: "payload_too_large", kibibytes });
  try {
    // HTTP delivers at most the stated length, and reading a body at once is far cheaper than in chunks. But the
    // runtime allocates the stated length before any data has arrived, so only short bodies are read at once.
    const isShort = length <= chunkBytes;
    const read = (hold: Hold) => (isShort ? request.arrayBuffer() : readBytes(request.body, maxBytes, hold));
    // Once a refusal is sent, the runtime drops the received bytes and the connection.
    const bytes = await withinPatience<Bytes | typeof tooLarge | typeof crowded>(read, {
      sender,
      isShort,
      bytes: isShort ? length : chunkBytes,
    });
    if (bytes === tooSlow) return refused({ code: "body_too_late" });
    if (bytes === crowded) return refused(unavailable);
    return bytes === tooLarge ? refused({ code: "payload_too_large", kibibytes }) : ok(utf8.decode(bytes));
  } catch {
    // The body isn't UTF-8, its chunks are malformed, or the sender disconnected.
    return refused({ code: "malformed_json" });
  }
}

type Bytes = ArrayBuffer | Uint8Array;
const tooLarge: unique symbol = Symbol("too large");

async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  hold: Hold,
): Promise<Bytes | typeof tooLarge | typeof crowded> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return tooLarge;
    if (!hold(chunk.length)) return crowded;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseObject(text: string, findError: typeof findTextError): Result<Body> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused({ code: "malformed_json" });
  }
  if (!isObject(value)) return refused(invalid("Request body must be a JSON object"));
  const error = findError(value);
  return error === undefined ? ok(value) : refused({ code: "invalid_input", errors: [error] });
}

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (message: string): Refusal => ({ code: "invalid_input", errors: [{ path: [], message }] });
