import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "#api/caller.ts";
import type { PlacedProgram } from "#api/directory.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import type { Result } from "#domain/result.ts";
import { checkKey } from "#http/check-key.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { bodyRefusals, commonRefusals, keyRefusals, refusals } from "#http/endpoint.ts";
import { shardOfProgram } from "#http/places.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import type { PresentedKey } from "#operations/operation.ts";

export type Keyed = Ctx & { get(name: "key"): PresentedKey };

export const readRefusals = (...own: RefusalCode[]) =>
  refusals(["missing_key", ...keyRefusals, ...own, ...commonRefusals]);

export const changeRefusals = (...own: RefusalCode[]) =>
  refusals(["missing_key", ...keyRefusals, ...bodyRefusals, ...own, ...commonRefusals]);

/** Checks the call's key, then reads. */
export async function readBy<Read>(
  c: Keyed,
  read: (checked: KeyChecked) => Promise<Result<Read>>,
  isTest = false,
): Promise<Result<Read>> {
  const checked = await checkKey(c, c.get("key"), isTest);
  return checked.ok ? read(checked.value) : checked;
}

/** Checks the call's key, then makes a change with the key as its author. */
export const changeBy = <Made>(
  c: Keyed,
  change: (by: Caller, program: PlacedProgram) => Promise<Result<Made>>,
): Promise<Result<Made>> =>
  readBy(c, () => {
    const { call, program } = changeByKey(c, c.get("key"));
    return change(call, program);
  });

/**
 * Returns the caller and program for a change that is made with a checked key. The check has found the program's shard.
 */
export function changeByKey(c: Ctx, key: PresentedKey) {
  const { programId } = key;
  return {
    call: { ...c.get("call"), programId, actorId: null, key },
    program: { id: programId, shard: shardOfProgram(c.env, programId) },
  } as const;
}

type KeyedStep = MiddlewareHandler<AppEnv & { Variables: { key: PresentedKey } }>;

/**
 * Checks the key before the body is read. Otherwise a caller with an invalid key could make the service keep large
 * bodies in memory. With `acceptsTestKeys`, the handler must check the key again for the body's book.
 */
export function withCheckedKey<Rest>(
  { middleware, ...rest }: Rest & { readonly middleware: [KeyedStep] },
  acceptsTestKeys = false,
) {
  const check: KeyedStep = createMiddleware(async (c, next) => {
    const checked = await checkKey(c, c.get("key"), acceptsTestKeys);
    return checked.ok ? next() : refuse(c, checked.refusal);
  });
  const steps: [KeyedStep, KeyedStep] = [...middleware, check];
  return { ...rest, middleware: steps };
}
