import { randomBytes, randomUUID } from "node:crypto";
import { serializeSigned } from "hono/utils/cookie";
import { newDerivation, saltBytes, serializeHash } from "#domain/password-hash.ts";
import { deriveKey } from "#http/derive-key.ts";
import { sessionCookieName, storedToken } from "#http/session-cookie.ts";
import { sessionIdleMs } from "#store/accounts/sessions.ts";
import { accounts, sessions, users } from "#store/schema/users.ts";
import { asStatement, db, openDatabaseClient } from "./database-client.ts";
import { quickCost, testSecrets } from "./service.ts";
import { createSession, keepCookies, type User } from "./session.ts";

/** A cheap password hash that any service can verify. */
async function quickHash(password: string): Promise<string> {
  const salt = randomBytes(saltBytes).toString("base64");
  return serializeHash({
    ...quickCost,
    salt,
    key: await deriveKey({ ...newDerivation(password, salt), ...quickCost }),
  });
}

/** A service that `startService` started. `databaseUrl` is the URL of the service's home database. */
export interface Place {
  readonly url: string;
  readonly databaseUrl: string;
}

/** Adds one user per name, who has just signed up and verified their address. None of them has signed in yet. */
export async function addUsers({ url, databaseUrl }: Place, names: readonly string[]): Promise<User[]> {
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  const made = await Promise.all(
    names.map(async (name) => {
      const [userId, token, password] = [randomUUID(), randomBytes(32).toString("base64url"), randomUUID()];
      const session = createSession(url);
      const cookie = await serializeSigned(sessionCookieName(false), token, testSecrets.AUTH_SECRET);
      keepCookies(session.cookies, [cookie]);
      const user = { ...session, userId, name, email: `${userId}@people.example`, password };
      return { user, token, hash: await quickHash(password) };
    }),
  );
  const inserts = [
    db
      .insert(users)
      .values(
        made.map(({ user: { userId: id, name, email } }) => ({ id, name, email, emailVerified: true, ...stamps })),
      ),
    db.insert(accounts).values(
      made.map(({ user: { userId }, hash }) => ({
        id: randomUUID(),
        accountId: userId,
        providerId: "credential",
        userId,
        password: hash,
        ...stamps,
      })),
    ),
    db.insert(sessions).values(
      made.map(({ user: { userId }, token }) => ({
        id: randomUUID(),
        token: storedToken(token),
        userId,
        expiresAt: new Date(Date.now() + sessionIdleMs),
        confirmedAt: Date.now(),
        ...stamps,
      })),
    ),
  ];
  await openDatabaseClient(databaseUrl).batch(inserts.map(asStatement), "write");
  return made.map(({ user }) => user);
}

export async function addUser(place: Place, name = "Ada Lovelace"): Promise<User> {
  const [user] = await addUsers(place, [name]);
  if (user === undefined) throw new Error("no user was added");
  return user;
}

export const setVerified = (databaseUrl: string, { userId }: Pick<User, "userId">, isVerified: boolean) =>
  openDatabaseClient(databaseUrl).execute({
    sql: "update users set email_verified = ? where id = ?",
    args: [isVerified ? 1 : 0, userId],
  });
