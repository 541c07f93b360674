import { and, eq, exists, isNull, sql } from "drizzle-orm";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { recoveryCodes, secondFactors } from "../schema/users.ts";
import { type Compiler, given, readCount, readFirst, unencoded, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { isOn } from "./second-factors.ts";

type NewCodes = { userId: string; operationId: string; codeHashes: string };

/**
 * The second factor, if this request was the last to use a code. In that case, no other request has replaced the
 * recovery codes since.
 */
const lastUsed = (db: Compiler) =>
  db
    .select({ userId: secondFactors.userId })
    .from(secondFactors)
    .where(and(isOn, eq(secondFactors.usedBy, given("operationId"))));

const insertCodes = write<NewCodes>((db) =>
  db
    .insert(recoveryCodes)
    .select(
      sql`select f.user_id, c.value, null, null from ${lastUsed(db)} f, json_each(${unencoded("codeHashes")}) c where true`,
    )
    .onConflictDoNothing(),
);

const deleteOtherCodes = write<NewCodes>((db) =>
  db
    .delete(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.userId, given("userId")),
        sql`${recoveryCodes.codeHash} not in (select value from json_each(${unencoded("codeHashes")}))`,
        exists(lastUsed(db)),
      ),
    ),
);

/** Finds one of the codes, used or not. */
const findCode = readFirst<{ userId: string; codeHash: string }, { userId: string }>((db) =>
  db
    .select({ userId: recoveryCodes.userId })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, given("userId")), eq(recoveryCodes.codeHash, given("codeHash")))),
);

/**
 * Replaces all recovery codes. The request must have used a code before. Returns false, and changes nothing, if another
 * request has used one since then.
 */
export async function replaceRecoveryCodes(
  database: Database,
  hashes: readonly string[],
  event: AccountEvent,
): Promise<boolean> {
  const { userId, operationId } = event;
  const codes = { userId, operationId, codeHashes: JSON.stringify(hashes) };
  const results = await writeWithRetry(database, [
    insertCodes(codes),
    ...eventIfChanged(event),
    deleteOtherCodes(codes),
    findCode({ userId, codeHash: hashes[0] ?? "" }),
  ]);
  return results.at(-1)?.length === 1;
}

const unusedCodes = readCount<{ userId: string }>((db) =>
  db
    .select({ n: sql<number>`count(*)` })
    .from(recoveryCodes)
    .innerJoin(secondFactors, eq(secondFactors.userId, recoveryCodes.userId))
    .where(and(isOn, isNull(recoveryCodes.usedBy))),
);

/** The number of recovery codes that the user hasn't used. 0 if two-factor authentication is off. */
export async function countRecoveryCodes(database: Database, userId: string): Promise<number> {
  return await readOne(database, unusedCodes({ userId }));
}
