import type { InValue } from "@libsql/client/http";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { relations } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { writeBeside } from "./beside.ts";
import type { Database } from "./database.ts";
import { accounts, sessions, users, verifications } from "./schema.ts";

// Named as better-auth asks for them: by the other table.
const schema = {
  users,
  sessions,
  accounts,
  verifications,
  usersRelations: relations(users, ({ many }) => ({ accounts: many(accounts), sessions: many(sessions) })),
  sessionsRelations: relations(sessions, ({ one }) => ({
    users: one(users, { fields: [sessions.userId], references: [users.id] }),
  })),
  accountsRelations: relations(accounts, ({ one }) => ({
    users: one(users, { fields: [accounts.userId], references: [users.id] }),
  })),
};

/**
 * What better-auth reads and writes users and sessions by: each statement is one request. `onFault` is told of each
 * that fails, for better-auth itself goes on after some, and gives others names of its own.
 */
export function authAdapter(database: Database, onFault: (error: unknown) => void) {
  const db = drizzle(
    async (text, params: InValue[], method) => {
      const statements = [{ sql: text, args: params }];
      try {
        const [rows = []] = await (/^\s*select\b/i.test(text)
          ? database.read(statements)
          : writeBeside(database, statements));
        // Of one row drizzle wants the row itself, or nothing.
        return { rows: method === "get" ? (rows[0] as unknown[]) : [...rows] };
      } catch (error) {
        onFault(error);
        throw error;
      }
    },
    { schema },
  );
  return drizzleAdapter(db, { provider: "sqlite", schema, usePlural: true });
}
