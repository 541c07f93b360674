import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { hashProgramKey, readProgramKey } from "../../domain/program-key.ts";
import type { Refusal } from "../../domain/refusal.ts";
import { type BodyCtx, jsonBody, takeBody } from "../../http/body.ts";
import { BoundedCache } from "../../http/bounded-cache.ts";
import type { AppEnv, Ctx } from "../../http/context.ts";
import { announceLimit, countCall } from "../../http/rate-limits.ts";
import { refuse } from "../../http/refusal/refuse.ts";
import type { PresentedKey } from "../../operations/operation.ts";

type Step = MiddlewareHandler<AppEnv>;
type StepWithKey = MiddlewareHandler<AppEnv & { Variables: { key: PresentedKey } }>;

const bearer = { programKey: [] };

/** A click: from anyone. Only one that is said to have happened earlier needs the program's key. */
export const anonymous = () => {
  const middleware: [Step] = [anyClick];
  return { security: [{}, bearer], middleware };
};

/** A lead: the header alone, and nothing in the body, tells a backend from a browser. */
export const programKeyOptional = () => {
  const middleware: [Step, Step] = [byKeyOrAddress, jsonBody("application/json", "text/plain")];
  return { security: [{}, bearer], middleware };
};

/** Money. */
export const programKeyAndBody = () => {
  const middleware: [StepWithKey, Step] = [requireKey("sale"), jsonBody("application/json")];
  return { security: [bearer], middleware };
};

/** What a program may know of itself. */
export const programKeyRequired = () => ({ security: [bearer], middleware: requireKey("readiness") });

const anyClick = createMiddleware<AppEnv>(async (c, next) => {
  const refusal = await judgeClick(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

/**
 * Counts a click against its address, or one of the past against its key. Which of them it is, only the body tells; it
 * is not read for an address past its limit, unless the call may have a key.
 */
async function judgeClick(c: BodyCtx & { set(name: "key", key: PresentedKey): void }): Promise<Refusal | undefined> {
  announceLimit(c, "click");
  const mayBeKeyed = c.req.header("Authorization") !== undefined;
  const pastLimit = mayBeKeyed ? undefined : await countCall(c, "click");
  if (pastLimit !== undefined) return pastLimit;

  let refusal = await takeBody(c, "application/json", "text/plain");
  if (refusal === undefined && c.get("body")?.occurred_at != null) {
    const read = readKey(c);
    if (read.key !== undefined) {
      c.set("key", read.key);
      announceLimit(c, "keyedClick");
      return countCall(c, "keyedClick");
    }
    refusal = read.refusal.code === "missing_key" ? { code: "occurred_at_needs_key" } : read.refusal;
  }
  return (mayBeKeyed ? await countCall(c, "click") : undefined) ?? refusal;
}

const byKeyOrAddress = createMiddleware<AppEnv>(async (c, next) => {
  const read = readKey(c);
  const limit = read.refusal?.code === "missing_key" ? "lead" : "keyedLead";
  announceLimit(c, limit);
  if (read.refusal?.code === "invalid_key") return refuse(c, read.refusal);
  if (read.key !== undefined) c.set("key", read.key);
  const refusal = await countCall(c, limit);
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireKey = (limit: "sale" | "readiness"): StepWithKey =>
  createMiddleware(async (c, next) => {
    announceLimit(c, limit);
    const read = readKey(c);
    if (read.key === undefined) return refuse(c, read.refusal);
    c.set("key", read.key);
    const refusal = await countCall(c, limit);
    return refusal === undefined ? next() : refuse(c, refusal);
  });

type ReadKey =
  | { readonly key: PresentedKey; readonly refusal?: undefined }
  | { readonly key?: undefined; readonly refusal: Refusal };

/** A backend calls with one key over and over, and to take it apart and hash it is a tenth of what a sale costs. */
const readKeys = new BoundedCache<ReadKey>(500);

/** The key that the header shows, if it has the form of one; the Ledger knows whether it was ever issued. */
function readKey(c: Ctx): ReadKey {
  const header = c.req.header("Authorization") ?? "";
  return readKeys.get(header) ?? readKeys.keep(header, keyIn(header));
}

function keyIn(header: string): ReadKey {
  const token = /^Bearer +(\S.*)$/i.exec(header)?.[1];
  if (token === undefined) return { refusal: { code: "missing_key" } };
  const named = readProgramKey(token);
  if (named === undefined) return { refusal: { code: "invalid_key" } };
  return { key: { programId: named.programId, hash: hashProgramKey(token) } };
}
