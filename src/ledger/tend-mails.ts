import type { Shard } from "#domain/ids.ts";
import { mailsKeptMs } from "#domain/mail/mail.ts";
import { delivererOf, type Env } from "#env.ts";
import type { Database } from "#store/database.ts";
import { readMailsAhead } from "#store/mails.ts";

const lateMs = 1_000;
const retryMs = 30_000;

/**
 * Wakes the Deliverer if due mails aren't being sent, for example after a crash, a shard migration or a restore.
 * Returns when to check again (ms). A mail that came with a migrated program may be due later, without the Deliverer
 * knowing.
 */
export async function tendMails(env: Env, shard: Shard, database: Database): Promise<number | undefined> {
  const now = Date.now();
  try {
    const { dueAt = Number.POSITIVE_INFINITY, oldestAt = now } = await readMailsAhead(database);
    const isLate = dueAt < now - lateMs;
    if (isLate || oldestAt < now - mailsKeptMs) await delivererOf(env, shard).wake(shard);
    if (isLate) return now + retryMs;
    return Number.isFinite(dueAt) ? dueAt + 2 * lateMs : undefined;
  } catch {
    return now + retryMs;
  }
}
