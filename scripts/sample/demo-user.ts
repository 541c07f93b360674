import { randomBytes } from "node:crypto";
import type { Client, InStatement } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { deriveKey } from "#http/derive-key.ts";
import { hashPassword, verifyPassword } from "#http/password-hashes.ts";
import { memberships } from "#store/schema/members.ts";
import { accounts, users } from "#store/schema/users.ts";

export interface DemoUser {
  readonly email: string;
  readonly password: string;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export const userId = "demo";
const owner: Person = { id: userId, name: "Demo", email: "demo@tributary.example" };

/** The user account of one of the sample program's partners. */
export const partnerUserId = "demo-partner";
export const partnerEmail = "partner@tributary.example";
const partner: Person = { id: partnerUserId, name: "Demo partner", email: partnerEmail };

/** Creates the workspace's owner if absent. Sets a new password if the stored password isn't the owner's. */
export const seedDemoUser = (client: Client, workspaceId: string, kept: string | undefined): Promise<DemoUser> =>
  seedPerson(client, owner, kept, (createdAt) => [
    drizzle(client)
      .insert(memberships)
      .values({ id: userId, workspaceId, userId, role: "owner", status: "active", createdAt })
      .toSQL(),
  ]);

/** Creates the partner's account if absent, as `seedDemoUser` does. The sample program gives it access. */
export const seedDemoPartner = (client: Client, kept: string | undefined): Promise<DemoUser> =>
  seedPerson(client, partner, kept, () => []);

type Sql = Parameters<typeof asStatement>[0];

async function seedPerson(
  client: Client,
  person: Person,
  kept: string | undefined,
  others: (createdAt: number) => readonly Sql[],
): Promise<DemoUser> {
  const { id, email } = person;
  const { rows } = await client.execute({ sql: "select password from accounts where user_id = ?", args: [id] });
  const hash = rows[0]?.password;
  if (typeof hash === "string" && kept !== undefined && (await verifyPassword(hash, kept, deriveKey))) {
    return { email, password: kept };
  }
  const password = randomBytes(12).toString("base64url");
  const hashed = await hashPassword(password, deriveKey);
  const isNew = rows.length === 0;
  await client.batch(
    isNew
      ? [...insertPerson(client, person, hashed), ...others(Date.now())].map(asStatement)
      : [{ sql: "update accounts set password = ?, updated_at = ? where user_id = ?", args: [hashed, Date.now(), id] }],
    "write",
  );
  return { email, password };
}

function insertPerson(client: Client, { id, ...person }: Person, password: string): readonly Sql[] {
  const db = drizzle(client);
  const now = new Date();
  const stamps = { createdAt: now, updatedAt: now };
  const credential = { id, accountId: id, providerId: "credential", userId: id, password };
  return [
    db
      .insert(users)
      .values({ id, ...person, emailVerified: true, ...stamps })
      .toSQL(),
    db
      .insert(accounts)
      .values({ ...credential, ...stamps })
      .toSQL(),
  ];
}

export const asStatement = ({ sql, params }: { sql: string; params: unknown[] }): InStatement => ({
  sql,
  args: params as (string | number | null)[],
});
