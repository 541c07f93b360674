import { webUrl } from "../../src/fields.ts";
import { isSecure } from "../../src/secure.ts";
import { durationOf } from "../duration.ts";
import { readFlags, UsageError, wholeNumber } from "../flags.ts";
import { newSecret, type Target } from "./forward.ts";

export type Start = { readonly after: number } | { readonly sinceMs: number } | undefined;

const flags = {
  "forward-to": { type: "string" },
  types: { type: "string" },
  after: { type: "string" },
  since: { type: "string" },
  secret: { type: "string" },
  test: { type: "boolean" },
} as const;

/** Reads the options. Throws a `UsageError`. */
export function readOptions(args: string[]) {
  const { values } = readFlags(args, flags, 0);
  const { after, since, secret, types, test = false, "forward-to": to, ...common } = values;
  if (secret !== undefined && to === undefined) throw new UsageError("--secret needs --forward-to.");
  const target: Target | undefined =
    to === undefined ? undefined : { url: receiver(to), secret: secret === undefined ? newSecret() : checked(secret) };
  return { ...common, start: startOf(after, since), types, target, isTest: test };
}

function startOf(after: string | undefined, since: string | undefined): Start {
  if (after !== undefined && since !== undefined) throw new UsageError("Pass --after or --since, not both.");
  if (after !== undefined) return { after: wholeNumber("after", after, 0, Number.MAX_SAFE_INTEGER) };
  return since === undefined ? undefined : { sinceMs: durationOf(since) };
}

function receiver(address: string): string {
  const url = webUrl(address);
  if (url && isSecure(url)) return url.href;
  throw new UsageError("--forward-to must start with https:// (http:// only on localhost), without credentials.");
}

function checked(secret: string): string {
  const bytes = Buffer.from(secret.slice("whsec_".length), "base64").length;
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && bytes >= 24 && bytes <= 64) return secret;
  throw new UsageError("--secret must be whsec_ and 24 to 64 bytes in base64. Without it, a new one is printed.");
}
