import { createMiddleware } from "hono/factory";
import type { Refusal } from "../domain/refusal.ts";
import type { AppEnv, Ctx } from "./context.ts";
import { refuseAfterKeyCheck } from "./refusal/refuse.ts";
import { faultOfText } from "./schema/json-rules.ts";

type MediaType = "application/json" | "text/plain";

const maxBytes = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };
const no = (refusal: Refusal): Read<never> => ({ ok: false, refusal });

/** Takes a JSON object in UTF-8, of one of these types and of bounded size. */
export const jsonBody = (...types: readonly MediaType[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const refusal = await takeBody(c, ...types);
    return refusal === undefined ? next() : refuseAfterKeyCheck(c, refusal);
  });

type Body = Readonly<Record<string, unknown>>;
export type BodyCtx = Ctx & { set(name: "body", body: Body): void };

/**
 * Reads the body, and hands it on as plain `application/json`: the validators behind it know no other type, and would
 * take `text/plain` for an empty object.
 */
export async function takeBody(c: BodyCtx, ...types: readonly MediaType[]): Promise<Refusal | undefined> {
  const request = c.req.raw;
  const text = isAccepted(request, types) ? await readText(request) : no({ code: "unsupported_media_type" });
  if (!text.ok) return text.refusal;
  const body = parseObject(text.value);
  if (!body.ok) return body.refusal;

  c.set("body", body.value);
  if (request.headers.get("Content-Type") !== "application/json") {
    const headers = new Headers(request.headers);
    headers.set("Content-Type", "application/json");
    c.req.raw = new Request(request, { headers, body: text.value });
  }
  // What Hono's own reader would have left there, a promise whatever its type says.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text.value) });
  return undefined;
}

export function isAccepted(request: Request, types: readonly string[]): boolean {
  const [type = "", ...parameters] = (request.headers.get("Content-Type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1]).find(Boolean);
  return types.includes(type.trim()) && (charset ?? "utf-8") === "utf-8";
}

async function readText(request: Request): Promise<Read<string>> {
  const length = request.headers.get("Content-Length");
  if (Number(length ?? 0) > maxBytes) return no({ code: "payload_too_large" });
  // HTTP itself lets no more through than the length that it names, and to read that at once costs far less.
  const bytes = length === null ? await readBytes(request.body) : await request.arrayBuffer();
  if (bytes === undefined) return no({ code: "payload_too_large" });
  try {
    return { ok: true, value: utf8.decode(bytes) };
  } catch {
    return no({ code: "malformed_json" });
  }
}

/** Undefined where there are too many; no more is read than that takes. */
async function readBytes(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseObject(text: string): Read<Body> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return no({ code: "malformed_json" });
  }
  if (!isObject(value)) return no(invalid("Request body must be a JSON object"));
  const fault = faultOfText(value);
  return fault === undefined ? { ok: true, value } : no({ code: "invalid_input", faults: [fault] });
}

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (message: string): Refusal => ({ code: "invalid_input", faults: [{ path: [], message }] });
