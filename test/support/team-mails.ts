import { TeamMailRun } from "#deliver/team-mail-run.ts";
import { parseDataKeys } from "#domain/data-keys.ts";
import type { Shard } from "#domain/ids.ts";
import { openMail, type WrittenMail } from "#domain/mail/sealed-mail.ts";
import type { Database } from "#store/database.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";

export const origin = "https://tributary.example";

export interface TeamMailSettings {
  readonly homeUrl: string;
  /** Databases of other shards. */
  readonly shards?: ReadonlyMap<Shard, Database>;
  /** Replaces the home database, for example by one that fails. */
  readonly home?: Database;
}

const dataKeys = () => {
  const keys = parseDataKeys(testSecrets.DATA_KEYS);
  if (keys === undefined) throw new Error("the tests' data keys are invalid");
  return keys;
};

/** Writes the mails that are due at an instant, and returns when to continue (ms). */
export async function writeTeamMails(
  { homeUrl, shards, home = databaseAt(homeUrl) }: TeamMailSettings,
  at: number,
): Promise<number> {
  const run = new TeamMailRun({
    home,
    databaseOf: (shard) => shards?.get(shard) ?? home,
    origin,
    secret: testSecrets.AUTH_SECRET,
    dataKeys: dataKeys(),
    clock: { now: () => at, sleep: async () => {} },
  });
  for (;;) {
    const next = await run.run();
    if (next > at) return next;
  }
}

export interface TeamMailInDatabase extends WrittenMail {
  readonly id: string;
}

/** Returns the mails that wait to be sent to the user. */
export async function teamMailsTo(homeUrl: string, userId: string): Promise<readonly TeamMailInDatabase[]> {
  const client = openDatabaseClient(homeUrl);
  const { rows } = await client.execute({
    sql: "select id, content from mails where template = 'team_tasks' and content is not null and id like '%.' || ? order by id",
    args: [userId],
  });
  return Promise.all(
    rows.map(async ({ id, content }) => {
      const ref = { id: String(id), programId: null };
      const mail = await openMail(dataKeys(), ref, String(content));
      if (mail === undefined) throw new Error("the mail can't be decrypted");
      return { ...mail, id: ref.id };
    }),
  );
}
