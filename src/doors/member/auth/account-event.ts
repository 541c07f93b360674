import type { AccountAction } from "#domain/account-event.ts";
import { home } from "#domain/shard.ts";
import { databaseOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { logError } from "#http/log.ts";
import { type AccountEvent, recordFailedSignIn } from "#store/accounts/account-events.ts";
import { openDatabase } from "#store/database.ts";
import { sessionDevice } from "./session-device.ts";

export async function accountEvent<Action extends AccountAction>(
  c: Ctx,
  userId: string,
  action: Action,
): Promise<AccountEvent & { readonly action: Action }> {
  const { operationId, at } = c.get("call");
  return { operationId, userId, action, ...(await sessionDevice(c)), at };
}

/** After the response: a refusal that took longer would reveal that there is an account. */
export function keepFailedSignIn(c: Ctx, userId: string): void {
  const kept = accountEvent(c, userId, "sign_in_failed").then((event) =>
    recordFailedSignIn(openDatabase(databaseOf(c.env, home)), event),
  );
  c.executionCtx.waitUntil(kept.catch((error: unknown) => logError(c, error)));
}
