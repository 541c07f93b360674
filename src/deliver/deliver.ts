import { earliest } from "#domain/calendar.ts";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { authSecretOf, databaseOf, dataKeysOf, type Env, ledgerOf, mailHookOf, teamMailOriginOf } from "#env.ts";
import type { SettleMailsCall } from "#operations/mail/settle-mails.ts";
import { openDatabase } from "#store/database.ts";
import { MailRun } from "./mail-run.ts";
import { newOperationId } from "./operation-id.ts";
import { TeamMailRun } from "./team-mail-run.ts";

const retryAfterFaultMs = 30_000;

const clock = { now: () => Date.now(), random: () => Math.random() };

/** Writes mails to teams and sends due mails, then sets the alarm for the next ones. */
export async function deliver({ storage }: Pick<DurableObjectState, "storage">, env: Env): Promise<void> {
  const shard = await storage.get<Shard>("shard");
  const next = earliest(
    await orLater("deliverer.team_mails_failed", () => writeTeamMails(env, shard)),
    await orLater("deliverer.failed", () => sendDue(env, shard)),
  );
  if (next === undefined) return;
  const woken = await storage.getAlarm();
  if (woken === null || woken > next) await storage.setAlarm(next);
}

/** Does the work, and returns when it is due again (ms). If the work fails, it is due again after a pause. */
async function orLater(event: string, work: () => Promise<number | undefined>): Promise<number | undefined> {
  try {
    return await work();
  } catch (error) {
    console.error(JSON.stringify({ event, error: String(error) }));
    return clock.now() + retryAfterFaultMs;
  }
}

/** Returns when the next step is due (ms). Undefined if this service or shard writes no mails to teams. */
async function writeTeamMails(env: Env, shard: Shard | undefined): Promise<number | undefined> {
  const origin = teamMailOriginOf(env);
  if (shard !== home || origin === undefined) return undefined;
  const run = new TeamMailRun({
    home: openDatabase(databaseOf(env, home)),
    databaseOf: (of) => openDatabase(databaseOf(env, of)),
    origin,
    secret: authSecretOf(env),
    dataKeys: dataKeysOf(env),
    clock: { ...clock, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
  });
  return run.run();
}

/**
 * Returns when the next mail is due, or old mails are to be deleted (ms). Undefined if there is none. Without a mail
 * hook, sends nothing and only deletes old mails.
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
