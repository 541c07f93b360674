import { earliest } from "#domain/calendar.ts";
import type { Shard } from "#domain/ids.ts";
import { mailsKeptMs } from "#domain/mail/mail.ts";
import { home } from "#domain/shard.ts";
import { teamMailsDueAt } from "#domain/team-mail.ts";
import { delivererOf, type Env, teamMailOriginOf } from "#env.ts";
import type { Database } from "#store/database.ts";
import { readMailsAhead } from "#store/mails.ts";
import { readTeamMailRun } from "#store/team-mail-runs.ts";

const lateMs = 1_000;
const retryMs = 30_000;

/**
 * Wakes the Deliverer if due mails aren't being sent, for example after a crash, a shard migration or a restore.
 * Returns when to check again (ms). If a migrated program brings a mail that is due later, the Deliverer doesn't know
 * about it.
 */
export async function tendMails(env: Env, shard: Shard, database: Database): Promise<number | undefined> {
  const now = Date.now();
  try {
    const { dueAt = Number.POSITIVE_INFINITY, oldestAt = now } = await readMailsAhead(database);
    const isLate = dueAt < now - lateMs;
    if (isLate || oldestAt < now - mailsKeptMs) await delivererOf(env, shard).wake(shard);
    const teamMailsAt = await tendTeamMails(env, shard, database, now);
    if (isLate) return now + retryMs;
    return earliest(Number.isFinite(dueAt) ? dueAt + 2 * lateMs : undefined, teamMailsAt);
  } catch {
    return now + retryMs;
  }
}

/** Wakes the Deliverer for the daily mails to teams. Returns when to check again (ms). */
async function tendTeamMails(env: Env, shard: Shard, database: Database, now: number): Promise<number | undefined> {
  if (shard !== home || teamMailOriginOf(env) === undefined) return undefined;
  const dueAt = teamMailsDueAt(await readTeamMailRun(database), now);
  if (dueAt <= now) await delivererOf(env, shard).wake(shard);
  return Math.max(dueAt, now + retryMs);
}
