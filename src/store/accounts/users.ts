import { and, eq, exists, not, or, sql, type Table } from "drizzle-orm";
import { type Database, readBatch, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, users } from "../schema/users.ts";
import {
  type Compiler,
  given,
  type RowOf,
  readFirst,
  rowWhere,
  type Statement,
  unencoded,
  type Write,
  write,
} from "../statement.ts";
import { type AddressLink, findReleasable, releaseAddress, verificationOf } from "./address-verifications.ts";
import { acceptanceOf, isInvited, openInvitation } from "./invitations.ts";
import { emailOfPartnerSignUp, insertPartnerSignUp, isUnusedBySignUps } from "./partner-sign-ups.ts";
import { passwordProvider } from "./sign-in-ways.ts";
import { isSignUpToken, markSignUpTokenUsed, openSignUpToken } from "./sign-up-tokens.ts";

/** A password's hash, or an identity: the issuer and the subject that it sends. */
export type WayToSignIn = { readonly passwordHash: string } | { readonly issuer: string; readonly subject: string };

export interface NewAccount {
  readonly userId: string;
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly signsInBy: WayToSignIn;
  readonly emailVerified: boolean;
  /**
   * The link that verifies the account's address. Undefined if the service sends no mail, or the address is verified.
   */
  readonly link: AddressLink | undefined;
}

/**
 * The token that admits a new account. It is from a workspace invitation (with the id of the membership to create),
 * from a link for an owner (which creates no membership), or from a partner invitation (which the account accepts
 * later).
 */
export type Admission =
  | { readonly tokenHash: string; readonly membershipId: string }
  | { readonly partnerTokenHash: string };

type Stored<T extends Table> = Readonly<Record<keyof T["_"]["columns"], string | number | null>>;

type Row = Stored<typeof accounts>;

const isLinked = (db: Compiler) =>
  exists(
    db
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.providerId, given("providerId")), eq(accounts.accountId, given("accountId")))),
  );

type Admitted = Pick<Row, "providerId" | "accountId"> & {
  tokenHash: string | null;
  partnerTokenHash: string | null;
  at: number;
};

const insertUser = write<Stored<typeof users> & Admitted>((db) =>
  db
    .insert(users)
    .select(
      rowWhere(
        users,
        and(
          or(sql`${unencoded("tokenHash")} is null`, isInvited(db), isSignUpToken(db)),
          or(sql`${unencoded("partnerTokenHash")} is null`, isUnusedBySignUps(db)),
          not(isLinked(db)),
        ),
      ),
    )
    .onConflictDoNothing(),
);

const isUser = eq(users.id, given("userId"));

const insertAccount = write<Row>((db) =>
  db
    .insert(accounts)
    .select(rowWhere(accounts, exists(db.select({ id: users.id }).from(users).where(isUser))))
    .onConflictDoNothing(),
);

const userById = readFirst<{ userId: string }, { id: string }>((db) =>
  db.select({ id: users.id }).from(users).where(isUser),
);

const selectAccount = (db: Compiler) =>
  db.select({ name: users.name, email: users.email, emailVerified: users.emailVerified }).from(users).where(isUser);
type FoundAccount = RowOf<typeof selectAccount>;

const accountById = readFirst<{ userId: string }, FoundAccount>(selectAccount);

export async function findAccount(database: Database, userId: string): Promise<FoundAccount | undefined> {
  return await readOne(database, accountById({ userId }));
}

/** Returns whether an account can sign up with the token of an invitation or of the link for an owner. */
export async function isAdmissible(database: Database, tokenHash: string, at: number): Promise<boolean> {
  const { invitation, token } = await readBatch(database, {
    invitation: openInvitation({ tokenHash, at }),
    token: openSignUpToken({ tokenHash, at }),
  });
  return (invitation ?? token) !== undefined;
}

/**
 * Creates a user with a password or an identity in one transaction. If there is an admission, it is used up, and the
 * membership of a workspace invitation is created. If the service sends mail, the new account may take an address that
 * another account hasn't verified for a day.
 */
export async function createAccount(
  database: Database,
  account: NewAccount,
  admission: Admission | undefined,
  call: { readonly operationId: string; readonly at: number },
): Promise<"created" | "account_exists" | "not_admissible"> {
  const writes = writesOf(account, admission, call);
  if (await creates(database, writes)) return "created";
  const { email, emailVerified, link } = account;
  if (!(await isStillAdmitted(database, admission, email, call.at))) return "not_admissible";
  const isMailed = link !== undefined || emailVerified;
  const holder = isMailed ? await findReleasable(database, email, call.at) : undefined;
  if (holder === undefined) return "account_exists";
  return (await creates(database, [...releaseAddress(holder, call.at), ...writes])) ? "created" : "account_exists";
}

const creates = async (database: Database, writes: readonly Statement[]): Promise<boolean> =>
  (await writeWithRetry(database, writes)).at(-1)?.length === 1;

/** The last statement reads the user, who exists only if the account was created. */
function writesOf(
  { userId, accountId: id, name, email, signsInBy, emailVerified, link }: NewAccount,
  admission: Admission | undefined,
  { operationId, at }: { readonly operationId: string; readonly at: number },
): readonly Statement[] {
  const stamps = { createdAt: at, updatedAt: at };
  const user = { id: userId, name, email, emailVerified: emailVerified ? 1 : 0, image: null };
  const account = accountRow({ id, userId, at }, signsInBy);
  const { providerId, accountId } = account;
  return [
    insertUser({ ...user, ...stamps, ...tokensOf(admission), providerId, accountId, at }),
    insertAccount(account),
    ...usesOf(admission, { operationId, actorId: userId, at }),
    ...(link === undefined ? [] : verificationOf(userId, link, at)),
    userById({ userId }),
  ];
}

/** Tokens of the identity provider aren't stored. */
export function accountRow(
  { id, userId, at }: { readonly id: string; readonly userId: string; readonly at: number },
  by: WayToSignIn,
): Row {
  const tokens = { accessToken: null, refreshToken: null, idToken: null, scope: null };
  const expiries = { accessTokenExpiresAt: null, refreshTokenExpiresAt: null };
  const way =
    "passwordHash" in by
      ? { providerId: passwordProvider, accountId: userId, password: by.passwordHash }
      : { providerId: by.issuer, accountId: by.subject, password: null };
  return { id, userId, ...way, ...tokens, ...expiries, createdAt: at, updatedAt: at };
}

const tokensOf = (admission: Admission | undefined) => ({ tokenHash: null, partnerTokenHash: null, ...admission });

function usesOf(
  admission: Admission | undefined,
  actor: { readonly operationId: string; readonly actorId: string; readonly at: number },
): readonly Write[] {
  const { actorId: userId, at } = actor;
  if (admission === undefined) return [];
  if ("partnerTokenHash" in admission) {
    return [insertPartnerSignUp({ tokenHash: admission.partnerTokenHash, userId, createdAt: at })];
  }
  return [...acceptanceOf(admission, actor, true), markSignUpTokenUsed({ tokenHash: admission.tokenHash, userId, at })];
}

/**
 * A partner invitation with which this address already signed up still admits it, because the person may not have
 * received the response.
 */
export async function isStillAdmitted(
  database: Database,
  admission: Admission | undefined,
  email: string,
  at: number,
): Promise<boolean> {
  if (admission === undefined) return true;
  if ("tokenHash" in admission) return isAdmissible(database, admission.tokenHash, at);
  const { partnerTokenHash } = admission;
  const used = await readOne(database, emailOfPartnerSignUp({ partnerTokenHash }));
  return used === undefined || used.email === email;
}

const setName = write<{ userId: string; name: string; at: number }>((db) =>
  db
    .update(users)
    .set({ name: unencoded("name"), updatedAt: unencoded("at") })
    .where(isUser),
);

export async function renameUser(database: Database, userId: string, name: string, at: number): Promise<void> {
  await writeWithRetry(database, [setName({ userId, name, at })]);
}
