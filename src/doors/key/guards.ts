import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { hashProgramKey, readProgramKey } from "#domain/program-key.ts";
import type { Refusal } from "#domain/refusal.ts";
import { type BodyCtx, jsonBody, readJsonBody } from "#http/body.ts";
import { BoundedCache } from "#http/bounded-cache.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { announceLimit, countByAddress, countByKey } from "#http/rate-limits.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type { PresentedKey } from "#operations/operation.ts";

type Step = MiddlewareHandler<AppEnv>;
type StepWithKey = MiddlewareHandler<AppEnv & { Variables: { key: PresentedKey } }>;

type KeyLimit =
  | "sale"
  | "keyedOffer"
  | "readiness"
  | "explain"
  | "feed"
  | "keyedList"
  | "manage"
  | "embedToken"
  | "importCheck";
type Scopes = PresentedKey["scopes"];

const bearer = (scopes: Scopes) => ({ programKey: [...scopes] });
const tracking: Scopes = ["track"];

/** Requires a program key only if the body reports a click in the past. Sets `body`, and `key` if one is required. */
export const programKeyIfPast = () => {
  const middleware: [Step] = [requireKeyIfPast];
  return { security: [{}, bearer(tracking)], middleware };
};

/**
 * The rate limit treats a call with a key (`Authorization: Bearer`) as a backend's, and a call without one as a
 * browser's, whatever the body contains.
 */
export const programKeyOptional = () => {
  const middleware: [Step, Step] = [countByKeyOrAddress, jsonBody(["application/json", "text/plain"])];
  return { security: [{}, bearer(tracking)], middleware };
};

/** Requires a key with at least one of the scopes. Sets `key`. */
export const programKeyRequired = (limit: KeyLimit, ...scopes: Scopes) => {
  const middleware: [StepWithKey] = [requireKey(limit, scopes)];
  return { security: [bearer(scopes)], middleware };
};

const requireKeyIfPast = createMiddleware<AppEnv>(async (c, next) => {
  const refusal = await checkClick(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

/**
 * Counts a click against its IP address, or a click in the past against its key. Only the body shows whether a click is
 * in the past. A call without `Authorization` is counted before its body is read, so that calls from an address over
 * its limit cost little.
 */
async function checkClick(c: BodyCtx & { set(name: "key", key: PresentedKey): void }): Promise<Refusal | undefined> {
  announceLimit(c, "click");
  const mayBeKeyed = c.req.header("Authorization") !== undefined;
  const overLimit = mayBeKeyed ? undefined : await countByAddress(c, "click");
  if (overLimit !== undefined) return overLimit;

  let refusal = await readJsonBody(c, ["application/json", "text/plain"]);
  if (refusal === undefined && c.get("body")?.occurred_at != null) {
    const read = readKey(c);
    if (read.key !== undefined) {
      setKey(c, read.key, tracking);
      announceLimit(c, "keyedClick");
      return countByKey(c, "keyedClick", read.key);
    }
    refusal = read.refusal.code === "missing_key" ? { code: "occurred_at_needs_key" } : read.refusal;
  }
  return (mayBeKeyed ? await countByAddress(c, "click") : undefined) ?? refusal;
}

const countByKeyOrAddress = createMiddleware<AppEnv>(async (c, next) => {
  const read = readKey(c);
  announceLimit(c, read.refusal?.code === "missing_key" ? "lead" : "keyedLead");
  if (read.refusal?.code === "invalid_key") return refuse(c, read.refusal);
  if (read.key !== undefined) setKey(c, read.key, tracking);
  const refusal = await (read.key === undefined ? countByAddress(c, "lead") : countByKey(c, "keyedLead", read.key));
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireKey = (limit: KeyLimit, scopes: Scopes): StepWithKey =>
  createMiddleware(async (c, next) => {
    announceLimit(c, limit);
    const read = readKey(c);
    if (read.key === undefined) return refuse(c, read.refusal);
    setKey(c, read.key, scopes);
    const refusal = await countByKey(c, limit, read.key);
    return refusal === undefined ? next() : refuse(c, refusal);
  });

const setKey = (c: { set(name: "key", key: PresentedKey): void }, key: ReadKey, scopes: Scopes): void =>
  c.set("key", { ...key, scopes });

type ReadKey = Omit<PresentedKey, "scopes">;
type KeyHeader =
  | { readonly key: ReadKey; readonly refusal?: undefined }
  | { readonly key?: undefined; readonly refusal: Refusal };

/**
 * Cached, because a backend sends the same key with every call. Parsing and hashing it takes a tenth of a sale's time.
 */
const keyHeaders = new BoundedCache<KeyHeader>(500);

/** Checks only the form of the key. The Ledger checks that it was issued. */
function readKey(c: Ctx): KeyHeader {
  const header = c.req.header("Authorization") ?? "";
  return keyHeaders.get(header) ?? keyHeaders.set(header, parseHeader(header));
}

function parseHeader(header: string): KeyHeader {
  const token = /^Bearer +(\S.*)$/i.exec(header)?.[1];
  if (token === undefined) return { refusal: { code: "missing_key" } };
  const named = readProgramKey(token);
  if (named === undefined) return { refusal: { code: "invalid_key" } };
  return { key: { programId: named.programId, hash: hashProgramKey(token) } };
}
