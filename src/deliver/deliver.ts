import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { databaseOf, dataKeysOf, type Env, ledgerOf, mailHookOf } from "#env.ts";
import type { SettleMailsCall } from "#operations/mail/settle-mails.ts";
import { openDatabase } from "#store/database.ts";
import { MailRun } from "./mail-run.ts";
import { newOperationId } from "./operation-id.ts";

const retryAfterFaultMs = 30_000;

const clock = { now: () => Date.now(), random: () => Math.random() };

/** Sends due mails, then sets the alarm for the next ones. */
export async function deliver({ storage }: Pick<DurableObjectState, "storage">, env: Env): Promise<void> {
  let next: number | undefined = clock.now() + retryAfterFaultMs;
  try {
    next = await sendDue(env, await storage.get<Shard>("shard"));
  } catch (error) {
    console.error(JSON.stringify({ event: "deliverer.failed", error: String(error) }));
  }
  if (next === undefined) return;
  const woken = await storage.getAlarm();
  if (woken === null || woken > next) await storage.setAlarm(next);
}

/**
 * Returns when the next mail is due (ms). Undefined if there is none. Without a mail hook, sends nothing and only
 * deletes old mails.
 */
async function sendDue(env: Env, shard: Shard | undefined): Promise<number | undefined> {
  if (shard === undefined) return undefined;
  const ledger = ledgerOf(env, shard);
  const settle = async (settled: Pick<SettleMailsCall, "outcomes" | "before">): Promise<void> => {
    const operationId = newOperationId();
    const outcome = await ledger.run({ kind: "settle-mails", operationId, at: clock.now(), ...settled });
    if (!outcome.ok) throw new Error(`the Ledger settles no mails: ${outcome.refusal.code}`);
  };
  const run = new MailRun({
    database: openDatabase(databaseOf(env, shard)),
    home: openDatabase(databaseOf(env, home)),
    hook: mailHookOf(env),
    dataKeys: dataKeysOf(env),
    clock,
    settle: (outcomes) => settle({ outcomes, before: 0 }),
    deleteOld: (before) => settle({ outcomes: [], before }),
  });
  return run.run();
}
