import { randomBytes } from "node:crypto";
import type { Client, InStatement } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { deriveKey } from "#http/derive-key.ts";
import { hashPassword, verifyPassword } from "#http/password-hashes.ts";
import { accounts, users } from "#store/schema/users.ts";
import { memberships } from "#store/schema/workspaces.ts";

export interface DemoUser {
  readonly email: string;
  readonly password: string;
}

export const userId = "demo";
const email = "demo@tributary.example";

/** Creates the workspace's owner if absent, with a new password if the stored one is not theirs. */
export async function seedDemoUser(client: Client, workspaceId: string, kept: string | undefined): Promise<DemoUser> {
  const { rows } = await client.execute({ sql: "select password from accounts where user_id = ?", args: [userId] });
  const hash = rows[0]?.password;
  if (typeof hash === "string" && kept !== undefined && (await verifyPassword(hash, kept, deriveKey))) {
    return { email, password: kept };
  }
  const password = randomBytes(12).toString("base64url");
  await (rows.length === 0 ? insertUser(client, workspaceId, password) : changePassword(client, password));
  return { email, password };
}

async function insertUser(client: Client, workspaceId: string, password: string): Promise<void> {
  const db = drizzle(client);
  const now = new Date();
  const stamps = { createdAt: now, updatedAt: now };
  const inserts = [
    db.insert(users).values({ id: userId, name: "Demo", email, ...stamps }),
    db.insert(accounts).values({
      id: userId,
      accountId: userId,
      providerId: "credential",
      userId,
      password: await hashPassword(password, deriveKey),
      ...stamps,
    }),
    db
      .insert(memberships)
      .values({ id: userId, workspaceId, userId, role: "owner", status: "active", createdAt: now.getTime() }),
  ];
  await client.batch(
    inserts.map((insert) => asStatement(insert.toSQL())),
    "write",
  );
}

async function changePassword(client: Client, password: string): Promise<void> {
  const args = [await hashPassword(password, deriveKey), Date.now(), userId];
  await client.batch([{ sql: "update accounts set password = ?, updated_at = ? where user_id = ?", args }], "write");
}

export const asStatement = ({ sql, params }: { sql: string; params: unknown[] }): InStatement => ({
  sql,
  args: params as (string | number | null)[],
});
