import { eq, exists, or, sql, type Table } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, users } from "../schema/users.ts";
import { param, readFirst, rowWhere, write } from "../statement.ts";
import { acceptanceOf, isInvited, openInvitation } from "./invitations.ts";
import { isSignUpToken, markSignUpTokenUsed, openSignUpToken } from "./sign-up-tokens.ts";

export interface NewAccount {
  readonly userId: string;
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** A token, of an invitation or for a first sign-up, and the id of the membership that an invitation creates. */
export interface Admission {
  readonly tokenHash: string;
  readonly membershipId: string;
}

type Stored<T extends Table> = Readonly<Record<keyof T["_"]["columns"], string | number | null>>;

const insertUser = write<Stored<typeof users> & { tokenHash: string | null; at: number }>((db) =>
  db
    .insert(users)
    .select(rowWhere(users, or(sql`${param("tokenHash")} is null`, isInvited(db), isSignUpToken(db))))
    .onConflictDoNothing(),
);

const isUser = eq(users.id, sql.placeholder("userId"));

const insertAccount = write<Stored<typeof accounts>>((db) =>
  db
    .insert(accounts)
    .select(rowWhere(accounts, exists(db.select({ id: users.id }).from(users).where(isUser))))
    .onConflictDoNothing(),
);

const userById = readFirst<{ userId: string }, { id: string }>((db) =>
  db.select({ id: users.id }).from(users).where(isUser),
);

const nameAndEmail = readFirst<{ userId: string }, { name: string; email: string }>((db) =>
  db.select({ name: users.name, email: users.email }).from(users).where(isUser),
);

export async function findAccount(
  database: Database,
  userId: string,
): Promise<{ readonly name: string; readonly email: string } | undefined> {
  return (await readBatch(database, { found: nameAndEmail({ userId }) })).found;
}

export async function isAdmissible(database: Database, tokenHash: string, at: number): Promise<boolean> {
  const { invitation, token } = await readBatch(database, {
    invitation: openInvitation({ tokenHash, at }),
    token: openSignUpToken({ tokenHash, at }),
  });
  return (invitation ?? token) !== undefined;
}

/** Creates a user with a password and, given an admission, uses it and creates its membership. All or nothing. */
export async function createAccount(
  database: Database,
  { userId, accountId, name, email, passwordHash }: NewAccount,
  admission: Admission | undefined,
  { operationId, at }: { readonly operationId: string; readonly at: number },
): Promise<"created" | "account_exists" | "not_admissible"> {
  const stamps = { createdAt: at, updatedAt: at };
  const user = { id: userId, name, email, emailVerified: 0, image: null };
  const account = { id: accountId, accountId: userId, providerId: "credential", userId, password: passwordHash };
  const tokens = { accessToken: null, refreshToken: null, idToken: null, scope: null };
  const expiries = { accessTokenExpiresAt: null, refreshTokenExpiresAt: null };
  const actor = { operationId, actorId: userId, at };
  const [found] = (
    await writeWithRetry(database, [
      insertUser({ ...user, ...stamps, tokenHash: admission?.tokenHash ?? null, at }),
      insertAccount({ ...account, ...tokens, ...expiries, ...stamps }),
      ...(admission === undefined
        ? []
        : [
            ...acceptanceOf(admission, actor, true),
            markSignUpTokenUsed({ tokenHash: admission.tokenHash, userId, at }),
          ]),
      userById({ userId }),
    ])
  ).slice(-1);
  if (found?.length === 1) return "created";
  const isStillAdmitted = admission === undefined || (await isAdmissible(database, admission.tokenHash, at));
  return isStillAdmitted ? "account_exists" : "not_admissible";
}

const setName = write<{ userId: string; name: string; at: number }>((db) =>
  db
    .update(users)
    .set({ name: param("name"), updatedAt: param("at") })
    .where(isUser),
);

export async function renameUser(database: Database, userId: string, name: string, at: number): Promise<void> {
  await writeWithRetry(database, [setName({ userId, name, at })]);
}
