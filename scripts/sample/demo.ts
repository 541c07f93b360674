import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Client } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { firstKeyGrant, hashProgramKey, mintProgramKey } from "#domain/program-key.ts";
import { partners, referralLinks } from "#store/schema/partners.ts";
import { commissionPolicies } from "#store/schema/policies.ts";
import { programKeys, programs } from "#store/schema/programs.ts";
import { workspaces } from "#store/schema/workspaces.ts";
import { withClient } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { asStatement, type DemoUser, seedDemoPartner, seedDemoUser } from "./demo-user.ts";

export interface Demo {
  readonly programId: number;
  readonly code: string;
  /**
   * The program's key. Only the file of `seedDemo` contains it and the passwords, because the database has just their
   * hashes.
   */
  readonly key: string;
  readonly user: DemoUser;
  /** The partner of the sample program. */
  readonly partner: DemoUser;
}

export const workspaceId = "demo";
const code = "DEMO";

/**
 * Creates what is missing of a workspace, its owner, a program, its key, a partner and a policy. Doesn't change what
 * exists. `file` stores the key and the password for later starts. No other process may be writing.
 */
export async function seedDemo(database: Database, file: string): Promise<Demo> {
  return withClient(database, async (client) => {
    const [program] = (
      await client.execute({
        sql: "select id from programs where workspace_id = ? order by id limit 1",
        args: [workspaceId],
      })
    ).rows;
    const programId = program === undefined ? await insertProgram(client) : Number(program.id);
    const kept = await readKept(file);
    const isKeyGood = kept.key !== undefined && (await isGood(client, programId, kept.key));
    const key = isKeyGood ? kept.key : await issueKey(client, programId);
    const user = await seedDemoUser(client, workspaceId, kept.user?.password);
    const partner = await seedDemoPartner(client, kept.partner?.password);
    const demo = { programId, code, key, user, partner };
    await writeFile(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
    return demo;
  });
}

async function insertProgram(client: Client): Promise<number> {
  const db = drizzle(client);
  const now = Date.now();
  const next = async (table: string) =>
    Number((await client.execute(`select coalesce(max(id), 0) + 1 as id from ${table}`)).rows[0]?.id);
  const programId = await next("programs");
  const partnerId = await next("partners");
  const inserts = [
    db.insert(workspaces).values({ id: workspaceId, name: "Demo", createdAt: now }),
    db.insert(programs).values({
      id: programId,
      workspaceId,
      name: "Demo program",
      websiteUrl: "https://shop.example",
      currency: "EUR",
      timezone: "UTC",
      leadAuth: "browser_allowed",
      attributionModel: "last_click",
      attributionWindowDays: 60,
      payoutMode: "manual",
      status: "active",
      createdAt: now,
    }),
    db.insert(partners).values({ id: partnerId, programId, name: "Demo partner", status: "active", createdAt: now }),
    db.insert(referralLinks).values({
      programId,
      partnerId,
      code,
      codeKey: code.toLowerCase(),
      destinationUrl: "https://shop.example/",
      status: "active",
      createdAt: now,
    }),
    db.insert(commissionPolicies).values({
      programId,
      version: 1,
      type: "percent",
      rateBps: 2_000,
      scope: "recurring",
      durationMonths: 12,
      holdDays: 15,
      effectiveFrom: now,
      createdAt: now,
    }),
  ];
  await client.batch(
    inserts.map((insert) => asStatement(insert.toSQL())),
    "write",
  );
  return programId;
}

async function issueKey(client: Client, programId: number): Promise<string> {
  const key = mintProgramKey(programId, randomBytes(32));
  const insert = drizzle(client)
    .insert(programKeys)
    .values({
      programId,
      ...firstKeyGrant,
      hash: hashProgramKey(key),
      lastFour: key.slice(-4),
      createdAt: Date.now(),
    });
  await client.batch([asStatement(insert.toSQL())], "write");
  return key;
}

async function isGood(client: Client, programId: number, key: string): Promise<boolean> {
  const { rows } = await client.execute({
    sql: "select 1 from program_keys where program_id = ? and hash = ? and (retires_at is null or retires_at > ?)",
    args: [programId, hashProgramKey(key), Date.now()],
  });
  return rows.length > 0;
}

async function readKept(file: string): Promise<Partial<Demo>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return {};
  }
}
