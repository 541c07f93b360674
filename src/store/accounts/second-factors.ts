import { and, eq, exists, isNotNull, isNull, lt, notExists, or, type SQLWrapper, sql } from "drizzle-orm";
import { type Database, readOne } from "../database.ts";
import type { MailRow } from "../mails.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { memberships } from "../schema/members.ts";
import { recoveryCodes, secondFactors } from "../schema/users.ts";
import { workspaces } from "../schema/workspaces.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { insertRecoveryMail } from "./account-mails.ts";

const ofUser = eq(secondFactors.userId, given("userId"));
/** Condition: the second factor of the user is on. */
export const isOn = and(ofUser, isNotNull(secondFactors.confirmedAt));
const isOff = and(ofUser, isNull(secondFactors.confirmedAt));

/** Condition: the user has a confirmed second factor, so sign-ins require a code. */
export const hasSecondFactor = (db: Compiler, userId: SQLWrapper) =>
  exists(
    db
      .select({ userId: secondFactors.userId })
      .from(secondFactors)
      .where(and(eq(secondFactors.userId, userId), isNotNull(secondFactors.confirmedAt))),
  );

const selectFactor = (db: Compiler) =>
  db
    .select({
      /** Encrypted with DATA_KEYS. */
      secret: secondFactors.secret,
      confirmedAt: secondFactors.confirmedAt,
      lastStep: secondFactors.lastStep,
    })
    .from(secondFactors)
    .where(ofUser);
export type SecondFactor = RowOf<typeof selectFactor>;

const factorOfUser = readFirst<{ userId: string }, SecondFactor>(selectFactor);

export async function findSecondFactor(database: Database, userId: string): Promise<SecondFactor | undefined> {
  return await readOne(database, factorOfUser({ userId }));
}

const insertFactor = write<{ userId: string; secret: string; at: number }>((db) =>
  db
    .insert(secondFactors)
    .values({ userId: given("userId"), secret: given("secret"), lastStep: 0, createdAt: given("at") })
    .onConflictDoUpdate({
      target: secondFactors.userId,
      set: { secret: sql`excluded.secret`, createdAt: sql`excluded.created_at` },
      setWhere: isNull(secondFactors.confirmedAt),
    }),
);

const hasSecret = (db: Compiler) =>
  exists(
    db
      .select({ userId: secondFactors.userId })
      .from(secondFactors)
      .where(and(isOff, eq(secondFactors.secret, given("secret")))),
  );

const deleteCodesFor = write<{ userId: string; secret: string }>((db) =>
  db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, given("userId")), hasSecret(db))),
);

const insertCode = write<{ userId: string; secret: string; codeHash: string }>((db) =>
  db.insert(recoveryCodes).select(
    db
      .select({
        userId: secondFactors.userId,
        codeHash: sql<string>`${unencoded("codeHash")}`.as("code_hash"),
        usedBy: sql<string | null>`null`.as("used_by"),
        usedAt: sql<number | null>`null`.as("used_at"),
      })
      .from(secondFactors)
      .where(and(isOff, eq(secondFactors.secret, given("secret")))),
  ),
);

/**
 * Stores a new secret and replaces an unconfirmed one. Returns false if the user already has a confirmed second factor.
 */
export async function startSecondFactor(
  database: Database,
  {
    userId,
    secret,
    codeHashes,
  }: { readonly userId: string; readonly secret: string; readonly codeHashes: readonly string[] },
  at: number,
): Promise<boolean> {
  const found = factorOfUser({ userId });
  const results = await writeWithRetry(database, [
    insertFactor({ userId, secret, at }),
    deleteCodesFor({ userId, secret }),
    ...codeHashes.map((codeHash) => insertCode({ userId, secret, codeHash })),
    found,
  ]);
  return found.decode(results.at(-1) ?? [])?.secret === secret;
}

const confirm = write<{ userId: string; secret: string; step: number; at: number; operationId: string }>((db) =>
  db
    .update(secondFactors)
    .set({ confirmedAt: unencoded("at"), lastStep: unencoded("step"), usedBy: unencoded("operationId") })
    .where(and(isOff, eq(secondFactors.secret, given("secret")))),
);

const isUsedBy = readFirst<{ userId: string; operationId: string }, { userId: string }>((db) =>
  db
    .select({ userId: secondFactors.userId })
    .from(secondFactors)
    .where(and(ofUser, eq(secondFactors.usedBy, given("operationId")))),
);

/** Returns false if the secret was confirmed or replaced concurrently. */
export async function confirmSecondFactor(
  database: Database,
  { secret, step }: { readonly secret: string; readonly step: number },
  event: AccountEvent,
): Promise<boolean> {
  const { userId, operationId, at } = event;
  const results = await writeWithRetry(database, [
    confirm({ userId, secret, step, at, operationId }),
    ...eventIfChanged(event),
    isUsedBy({ userId, operationId }),
  ]);
  return results.at(-1)?.length === 1;
}

interface CodeUse {
  readonly userId: string;
  readonly operationId: string;
  /**
   * Id of the request that used the last code. The new code is accepted only if no code was used after that request. If
   * undefined, this isn't checked.
   */
  readonly after: string | undefined;
  /** A mail that informs the account that a recovery code was used. */
  readonly mail?: MailRow | undefined;
}

const isAfter = sql`(${unencoded("after")} is null or ${secondFactors.usedBy} = ${unencoded("after")})`;

const useStep = write<{ userId: string; step: number; operationId: string; after: string | null }>((db) =>
  db
    .update(secondFactors)
    .set({ lastStep: unencoded("step"), usedBy: unencoded("operationId") })
    .where(and(isOn, lt(secondFactors.lastStep, given("step")), isAfter)),
);

/** Returns false if this time step or a later one was already used, or if another request used a code since `after`. */
export async function useTotpStep(
  database: Database,
  step: number,
  { userId, operationId, after }: CodeUse,
): Promise<boolean> {
  const results = await writeWithRetry(database, [
    useStep({ userId, step, operationId, after: after ?? null }),
    isUsedBy({ userId, operationId }),
  ]);
  return results[1]?.length === 1;
}

const isCode = and(eq(recoveryCodes.userId, given("userId")), eq(recoveryCodes.codeHash, given("codeHash")));

const useCode = write<{ userId: string; codeHash: string; operationId: string; at: number; after: string | null }>(
  (db) => {
    const factor = db.select({ userId: secondFactors.userId }).from(secondFactors).where(and(isOn, isAfter));
    return db
      .update(recoveryCodes)
      .set({ usedBy: unencoded("operationId"), usedAt: unencoded("at") })
      .where(and(isCode, isNull(recoveryCodes.usedBy), exists(factor)));
  },
);

const codeUsedBy = readFirst<{ userId: string; codeHash: string; operationId: string }, { userId: string }>((db) =>
  db
    .select({ userId: recoveryCodes.userId })
    .from(recoveryCodes)
    .where(and(isCode, eq(recoveryCodes.usedBy, given("operationId")))),
);

const noteCodeUse = write<{ userId: string; codeHash: string; operationId: string }>((db) => {
  const code = db
    .select({ userId: recoveryCodes.userId })
    .from(recoveryCodes)
    .where(and(isCode, eq(recoveryCodes.usedBy, given("operationId"))));
  return db
    .update(secondFactors)
    .set({ usedBy: unencoded("operationId") })
    .where(and(isOn, sql`changes() = 1`, exists(code)));
});

/** Returns false if the code is wrong or already used, or if another request used a code since `after`. */
export async function useRecoveryCode(
  database: Database,
  codeHash: string,
  at: number,
  { userId, operationId, after, mail }: CodeUse,
): Promise<boolean> {
  const results = await writeWithRetry(database, [
    useCode({ userId, codeHash, operationId, at, after: after ?? null }),
    noteCodeUse({ userId, codeHash, operationId }),
    ...(mail === undefined ? [] : [insertRecoveryMail({ ...mail, userId, operationId })]),
    codeUsedBy({ userId, codeHash, operationId }),
  ]);
  return results.at(-1)?.length === 1;
}

const isRequired = (db: Compiler) =>
  exists(
    db
      .select({ id: memberships.id })
      .from(memberships)
      .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
      .where(
        and(
          eq(memberships.userId, given("userId")),
          eq(memberships.status, "active"),
          eq(workspaces.requireTwoFactor, true),
        ),
      ),
  );

const deleteFactor = write<{ userId: string; mayBeRequired: boolean }>((db) =>
  db.delete(secondFactors).where(and(isOn, or(sql`${unencoded("mayBeRequired")}`, sql`not ${isRequired(db)}`))),
);

const deleteCodes = write<{ userId: string }>((db) => {
  const factor = db.select({ userId: secondFactors.userId }).from(secondFactors).where(ofUser);
  return db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, given("userId")), notExists(factor)));
});

/** Returns `required`, and changes nothing, if a workspace of the user requires a second factor. */
export async function turnOffSecondFactor(database: Database, event: AccountEvent): Promise<"off" | "required"> {
  const { userId } = event;
  const found = factorOfUser({ userId });
  const results = await writeWithRetry(database, [
    deleteFactor({ userId, mayBeRequired: false }),
    ...eventIfChanged(event),
    deleteCodes({ userId }),
    found,
  ]);
  return found.decode(results.at(-1) ?? [])?.confirmedAt == null ? "off" : "required";
}

/**
 * Removes the second factor of a user who has lost it. An operator's command calls this. Returns false if the account
 * has none.
 */
export async function removeSecondFactor(database: Database, event: AccountEvent, actorId: string): Promise<boolean> {
  const { userId } = event;
  const factor = await findSecondFactor(database, userId);
  if (factor?.confirmedAt == null) return false;
  await writeWithRetry(database, [
    deleteFactor({ userId, mayBeRequired: true }),
    ...eventIfChanged(event, actorId),
    deleteCodes({ userId }),
  ]);
  return true;
}

const allSecrets = readAll<{ after: string; limit: number }, { userId: string; secret: string }>((db) =>
  db
    .select({ userId: secondFactors.userId, secret: secondFactors.secret })
    .from(secondFactors)
    .where(sql`${secondFactors.userId} > ${unencoded("after")}`)
    .orderBy(secondFactors.userId)
    .limit(given("limit")),
);

const replaceSecret = write<{ userId: string; before: string; after: string }>((db) =>
  db
    .update(secondFactors)
    .set({ secret: unencoded("after") })
    .where(and(ofUser, eq(secondFactors.secret, given("before")))),
);

export async function listSecrets(
  database: Database,
  after: string,
  limit: number,
): Promise<readonly { readonly userId: string; readonly secret: string }[]> {
  return await readOne(database, allSecrets({ after, limit }));
}

/** Replaces encrypted secrets. Skips secrets that have changed since they were read. */
export async function replaceSecrets(
  database: Database,
  changes: readonly { readonly userId: string; readonly before: string; readonly after: string }[],
): Promise<void> {
  if (changes.length > 0) await writeWithRetry(database, changes.map(replaceSecret));
}
