import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { hashProgramKey, readProgramKey } from "../domain/program-key.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { AppEnv, Ctx } from "../http/app-env.ts";
import { jsonBody } from "../http/body.ts";
import { countCall } from "../http/limits.ts";
import { refuse } from "../http/refuse.ts";
import type { PresentedKey } from "../operations/operation.ts";

type Step = MiddlewareHandler<AppEnv>;
type StepWithKey = MiddlewareHandler<AppEnv & { Variables: { key: PresentedKey } }>;

const bearer = { programKey: [] };

/** A click: from anyone; only one that is said to have happened earlier needs the program's key. */
export const anonymous = () => {
  const middleware: [Step, Step, Step] = [limited("click"), jsonBody("application/json", "text/plain"), requireKeyForPast];
  return { security: [{}, bearer], middleware };
};

/** A lead: the key alone, and nothing in the body, tells a backend from a browser. */
export const programKeyOptional = () => {
  const middleware: [Step, Step, Step] = [takeKey, limited("lead"), jsonBody("application/json", "text/plain")];
  return { security: [{}, bearer], middleware };
};

/** Money, and what a program knows of itself. */
export const programKeyRequired = (limit: "sale" | "readiness") => {
  const middleware: [StepWithKey, Step] = [requireKey, limited(limit)];
  return { security: [bearer], middleware };
};

/** The same, with a body. */
export const programKeyAndBody = (limit: "sale") => {
  const middleware: [StepWithKey, Step, Step] = [requireKey, limited(limit), jsonBody("application/json")];
  return { security: [bearer], middleware };
};

const limited = (name: "click" | "lead" | "sale" | "readiness"): Step =>
  createMiddleware<AppEnv>(async (c, next) => {
    const refusal = await countCall(c, name === "lead" && c.var.key !== undefined ? "keyedLead" : name);
    return refusal === undefined ? next() : refuse(c, refusal);
  });

const takeKey = createMiddleware<AppEnv>(async (c, next) => {
  const read = readKey(c);
  if (read.key !== undefined) c.set("key", read.key);
  return read.refusal === undefined || read.refusal.code === "missing_key" ? next() : refuse(c, read.refusal);
});

const requireKey: StepWithKey = createMiddleware(async (c, next) => {
  const read = readKey(c);
  if (read.key === undefined) return refuse(c, read.refusal);
  c.set("key", read.key);
  return next();
});

const requireKeyForPast = createMiddleware<AppEnv>(async (c, next) => {
  if (c.var.body?.["occurred_at"] == null) return next();
  const read = readKey(c);
  if (read.refusal?.code === "missing_key") return refuse(c, { code: "occurred_at_needs_key" });
  if (read.key === undefined) return refuse(c, read.refusal);
  c.set("key", read.key);
  return next();
});

type ReadKey =
  | { readonly key: PresentedKey; readonly refusal?: undefined }
  | { readonly key?: undefined; readonly refusal: Refusal };

/** The key that the header shows, if it has the form of one; the Ledger knows whether it was ever issued. */
function readKey(c: Ctx): ReadKey {
  const token = /^Bearer +(\S.*)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (token === undefined) return { refusal: { code: "missing_key" } };
  const named = readProgramKey(token);
  if (named === undefined) return { refusal: { code: "invalid_key" } };
  return { key: { programId: named.programId, hash: hashProgramKey(token) } };
}
