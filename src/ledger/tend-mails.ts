import type { Shard } from "#domain/ids.ts";
import { mailsKeptMs } from "#domain/mail/mail.ts";
import { delivererOf, type Env } from "#env.ts";
import type { Database } from "#store/database.ts";
import { readMailsAhead } from "#store/mails.ts";

const lateMs = 1_000;
const retryMs = 30_000;

/** Wakes the Deliverer if it isn't sending what is due, after a crash, a move or a restore. Returns when to try again (ms). */
export async function tendMails(env: Env, shard: Shard, database: Database): Promise<number | undefined> {
  const now = Date.now();
  try {
    const { dueAt = now, oldestAt = now } = await readMailsAhead(database);
    if (dueAt < now - lateMs || oldestAt < now - mailsKeptMs) await delivererOf(env, shard).wake(shard);
    return undefined;
  } catch {
    return now + retryMs;
  }
}
