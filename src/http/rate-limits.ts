import { bookKey } from "#domain/book.ts";
import { dateUtc } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { AddressLimitName, LimitName } from "#domain/limit-bindings.ts";
import type { Refusal } from "#domain/refusal.ts";
import { hashSecretOf, isWithinSiteLimit, limitOf } from "#env.ts";
import type { PresentedKey } from "#operations/operation.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";
import { mayBeRight, noteFailingNetwork } from "./known-keys.ts";
import { logError } from "./log.ts";
import { networkKeys } from "./network-keys.ts";
import { isReadMethod } from "./request.ts";

// A `count…` function counts one call, unless its comment says otherwise. It returns a refusal if the call is over the
// limit, otherwise undefined.

const periodSeconds = 60;

/** The rate-limit binding doesn't report when its period ends, but waiting for a whole period is always enough. */
const rateLimited: Refusal = { code: "rate_limited", retryAfterSeconds: periodSeconds };

const limitFor = (c: Ctx, name: LimitName) => limitOf(c.env, name, c.get("transport").isLoopback);

/** Admits the call if the counter fails, because losing a sale is worse than exceeding a limit. */
async function unlessFailing(c: Ctx, admitted: Promise<boolean>): Promise<boolean> {
  try {
    return await admitted;
  } catch (error) {
    logError(c, error);
    return true;
  }
}

const count = async (c: Ctx, name: LimitName, key: string): Promise<Refusal | undefined> =>
  (await unlessFailing(c, limitFor(c, name).admits(key))) ? undefined : rateLimited;

/**
 * Counts the call against its IP address, and for IPv6 also against its site (the /48 network). Each `purpose` is
 * counted separately.
 */
export const countByAddress = async (c: Ctx, name: AddressLimitName, purpose = ""): Promise<Refusal | undefined> =>
  (await networkOverLimit(c, name, purpose)) === undefined ? undefined : rateLimited;

async function networkOverLimit(c: Ctx, name: AddressLimitName, purpose = ""): Promise<string | undefined> {
  const { device, site } = networkKeys(c);
  const keyOf = (network: string) => (purpose === "" ? network : `${purpose} ${network}`);
  if ((await count(c, name, keyOf(device))) !== undefined) return device;
  if (site === undefined) return undefined;
  const isWithin = isWithinSiteLimit(c.env, name, keyOf(site), c.get("transport").isLoopback);
  return (await unlessFailing(c, isWithin)) ? undefined : site;
}

export async function countByKey(
  c: Ctx,
  name: LimitName,
  key: Pick<PresentedKey, "hash">,
): Promise<Refusal | undefined> {
  const { device, site } = networkKeys(c);
  const networks = site === undefined ? [device] : [device, site];
  return mayBeRight(c, key.hash, networks) ? count(c, name, key.hash) : rateLimited;
}

type Access = "sign-in" | "sign-up" | "forgot-password" | "reset-password" | "verify-email" | "invitation";

/** Counts an attempt without a session: against the browser if it is known, otherwise against the IP address. */
export function countAccess(c: Ctx, access: Access, device?: string): Promise<Refusal | undefined> {
  const name = access === "invitation" ? "invitation" : "access";
  announceLimit(c, name, device === undefined ? access : `device-${access}`);
  if (device === undefined) return countByAddress(c, name, access);
  return count(c, name, `device-${access} ${digest(hashSecretOf(c.env), "device", device)}`);
}

/** Sends the limit, but not the current count, because other callers may share it. */
export function announceLimit(c: Ctx, name: LimitName, policy: string = name): void {
  const { perMinute } = limitFor(c, name);
  c.header("RateLimit-Policy", `"${policy}";q=${perMinute};w=${periodSeconds}`);
  c.header("X-RateLimit-Limit", String(perMinute));
}

/**
 * Counts a call without a key against its program's live or test limit, regardless of its IP address. Calls without a
 * program id share one count. Ignores calls with a key.
 */
export async function countKeyless(
  c: Ctx,
  name: "programClick" | "programLead" | "programOffer",
  { programId, isTest }: { readonly programId: ProgramId | null; readonly isTest: boolean },
): Promise<Refusal | undefined> {
  if (c.get("key") !== undefined) return undefined;
  const refusal = await count(c, name, programId === null ? "no program" : bookKey({ programId, isTest }));
  if (refusal !== undefined) announceLimit(c, name);
  return refusal;
}

/** Counts an import call against its program, for all callers together. */
export function countImport(c: Ctx, programId: ProgramId, isDryRun: boolean): Promise<Refusal | undefined> {
  const name = isDryRun ? "importCheck" : "import";
  announceLimit(c, name);
  return count(c, name, String(programId));
}

export type UserLimit = "userRead" | "userWrite" | "importCheck" | "embed";

const userLimitOf = ({ req }: Ctx): UserLimit => (isReadMethod(req.method) ? "userRead" : "userWrite");

export const announceUserLimit = (c: Ctx, limit = userLimitOf(c)): void => announceLimit(c, limit);

/** The counter's key doesn't reveal the user, and changes every day, so that it can't be used to track them. */
export const countUser = (c: Ctx, userId: string, limit = userLimitOf(c)): Promise<Refusal | undefined> =>
  count(c, limit, digest(hashSecretOf(c.env), "user", dateUtc(c.get("call").at), userId));

/** An explanation counts as one more call for each thousand sales that it adds up. */
const salesPerCall = 1_000;
const mostCalls = 1_000;

/**
 * Counts an explanation by its work, after the work is done, so the count affects only later calls. Each element of
 * `sums` has the number of sales that were added up.
 */
export async function countExplained(
  sums: readonly { readonly sales: number }[],
  countOnce: () => Promise<Refusal | undefined>,
): Promise<void> {
  const sales = sums.reduce((all, each) => all + each.sales, 0);
  const calls = Math.min(mostCalls, Math.floor(sales / salesPerCall));
  await Promise.all(Array.from({ length: calls }, countOnce));
}

export const countOperator = (c: Ctx): Promise<Refusal | undefined> =>
  countByAddress(c, isReadMethod(c.req.method) ? "userRead" : "userWrite");

/**
 * Counts a wrong key, and returns the refusal of the call. Call it only after the check has shown that the key is
 * wrong: to refuse an address before the check would also refuse valid keys from the same address. If a network is over
 * the limit, its keys are refused for a minute, except for keys known to be valid.
 */
export async function countFailedKey(c: Ctx): Promise<Refusal> {
  const network = await networkOverLimit(c, "failedKey");
  if (network === undefined) return { code: "invalid_key" };
  noteFailingNetwork(c, network);
  return rateLimited;
}
