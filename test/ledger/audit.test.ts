import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient } from "@libsql/client/http";
import { beforeAll, describe, expect, it } from "vitest";
import type { World } from "../../harness/world.ts";
import { allRules, auditLedger } from "../../scripts/audit/ledger.ts";
import { schemaRule } from "../../scripts/audit/schema.ts";
import { node, root } from "../../scripts/root.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { daysAgo, inTestMode, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { cases } from "./audit-cases.ts";

const own = isolatedService();

/** Clicks, customers by key, by browser and moved, organic sales, and all kinds of refunds. */
async function liveIn({ visit, lead, browserLead, sale, refund, click, alice, bob }: ProgramFixture): Promise<void> {
  const [{ click_id }] = await Promise.all([visit({ event_id: "e" }), visit(), visit(inTestMode)]);
  await lead({ click_id, customer_key: "keyed" });
  await browserLead({ click_id: click(bob, daysAgo(2)), customer_key: "browsing" });
  await sale({ customer_key: "keyed", transaction_id: "t" });
  await sale({ customer_key: "keyed", transaction_id: "u" });
  await sale({ customer_key: "keyed", transaction_id: "v" });
  await sale({ customer_key: "browsing" });
  await sale({ customer_key: "organic" });
  await refund({ transaction_id: "t", refund_amount_cents: 3_333 });
  await refund({ transaction_id: "u" });
  await refund({ transaction_id: "v", refund_id: "canceled", refund_amount_cents: 1_000 });
  await refund({ transaction_id: "v", refund_id: "canceled", cancel: true });
  await browserLead({ click_id: click(bob, daysAgo(3)), customer_key: "moving" });
  await sale({ customer_key: "moving", transaction_id: "w" });
  await lead({ click_id: click(alice, daysAgo(3)), customer_key: "moving" });
}

let client: Client;
const worlds: World[] = [];
const query = async (sql: string) => (await client.execute(sql)).rows;

beforeAll(async () => {
  client = createClient({ url: own.database.url });
  await Promise.all(
    cases.map(async (_, i) => {
      const world = await own.world({ partners: [{}, {}] });
      await liveIn(programFixture(world, own.api()));
      worlds[i] = world;
    }),
  );
});

const worldOf = (i: number): World => {
  const world = worlds[i];
  if (world === undefined) throw new Error("each case has a world");
  return world;
};

async function auditCommand(env: Readonly<Record<string, string>>): Promise<{ code: number; text: string }> {
  const run = promisify(execFile)(node, [join(root, "scripts/audit-ledger.ts")], {
    env: { ...process.env, ...env },
  });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  );
}

describe("the audit", () => {
  it("finds nothing in books that the service keeps", async () => {
    expect(await auditLedger(client)).toEqual([]);
    const { code, text } = await auditCommand({ DATABASE_URL: own.database.url });
    expect(text).toBe(`The books are right: ${allRules.length} checks.\n`);
    expect(code).toBe(0);
  });

  describe("finds, where the database no longer defends itself,", () => {
    beforeAll(async () => {
      const triggers = await query("select name from sqlite_master where type = 'trigger'");
      await client.batch(
        [...triggers.map(({ name }) => `drop trigger ${name}`), "drop index leads_customer", "drop index leads_recent"],
        "write",
      );
    });

    it.each(cases.map((one, i) => [...one, i] as const))("%s: %s", async (broken, by, i) => {
      const world = worldOf(i);
      const { programId, partners, audit, write } = world;
      const [, bob] = partners;
      const stranger = worldOf((i + 1) % cases.length).partner;
      const statements = by
        .replaceAll(":own", `program_id = ${programId}`)
        .replaceAll(":bob", String(bob?.id))
        .replaceAll(":stranger", String(stranger.id));
      await write(...statements.split(";"));
      const found = (await audit()).find((finding) => finding.broken === broken);
      expect(found?.rows.length).toBeGreaterThan(0);
    });

    it("the triggers and indexes that are gone, and those that nobody made", async () => {
      await client.execute("create index leads_extra on leads (id)");
      const found = (await auditLedger(client, { limit: 100 })).find(({ broken }) => broken === schemaRule);
      expect(found?.rows).toEqual(
        expect.arrayContaining([
          { name: "trigger ledger_entries_no_update", is: "missing" },
          { name: "index leads_customer", is: "missing" },
          { name: "index leads_extra", is: "too many" },
        ]),
      );
    });

    it("and says so, with the ids, the first of each, and a code", async () => {
      const { code, text } = await auditCommand({ DATABASE_URL: own.database.url });
      expect(code).toBe(1);
      expect(text).toMatch(/^Wrong: commissions whose explanation is not theirs\n {2}commission \d+, sale \d+$/m);
      const limited = await auditLedger(client, { limit: 2 });
      expect(limited.filter(({ hasMore }) => hasMore).length).toBeGreaterThan(5);
      for (const { rows } of limited) expect(rows.length).toBeLessThanOrEqual(2);
    });
  });

  it("says so where the database cannot be asked", async () => {
    const { code, text } = await auditCommand({ DATABASE_URL: "http://127.0.0.1:9" });
    expect(code).toBe(2);
    expect(text).toContain("could not be read");
  });
});
