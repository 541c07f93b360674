import { and, eq, exists, gt, isNull } from "drizzle-orm";
import { type Database, readBatch, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { signUpTokens, users } from "../schema/users.ts";
import { type Compiler, everyColumn, given, readFirst, unencoded, write } from "../statement.ts";

type SignUpTokenRow = typeof signUpTokens.$inferSelect;

const isOpen = () =>
  and(
    eq(signUpTokens.tokenHash, given("tokenHash")),
    isNull(signUpTokens.usedAt),
    gt(signUpTokens.expiresAt, given("at")),
  );

export const isSignUpToken = (db: Compiler) =>
  exists(db.select({ tokenHash: signUpTokens.tokenHash }).from(signUpTokens).where(isOpen()));

export const openSignUpToken = readFirst<{ tokenHash: string; at: number }, { tokenHash: string }>((db) =>
  db.select({ tokenHash: signUpTokens.tokenHash }).from(signUpTokens).where(isOpen()),
);

export const markSignUpTokenUsed = write<{ tokenHash: string; userId: string; at: number }>((db) =>
  db
    .update(signUpTokens)
    .set({ usedBy: unencoded("userId"), usedAt: unencoded("at") })
    .where(
      and(
        isOpen(),
        exists(
          db
            .select({ id: users.id })
            .from(users)
            .where(eq(users.id, given("userId"))),
        ),
      ),
    ),
);

const insertToken = write<SignUpTokenRow>((db) =>
  db.insert(signUpTokens).values(everyColumn(signUpTokens)).onConflictDoNothing(),
);

const anyUser = readFirst<Record<string, never>, { id: string }>((db) =>
  db.select({ id: users.id }).from(users).limit(1),
);

const anyToken = readFirst<Record<string, never>, { tokenHash: string }>((db) =>
  db.select({ tokenHash: signUpTokens.tokenHash }).from(signUpTokens).limit(1),
);

export async function createSignUpToken(
  database: Database,
  token: Pick<SignUpTokenRow, "tokenHash" | "expiresAt" | "createdAt">,
): Promise<void> {
  await writeWithRetry(database, [insertToken({ ...token, usedBy: null, usedAt: null })]);
}

export async function hasUsers(database: Database): Promise<boolean> {
  return (await readOne(database, anyUser({}))) !== undefined;
}

export async function isOwnerInvited(database: Database): Promise<boolean> {
  const { user, token } = await readBatch(database, { user: anyUser({}), token: anyToken({}) });
  return user !== undefined || token !== undefined;
}
