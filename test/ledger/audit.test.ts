import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type DatabaseClient, openDatabaseClient } from "../../harness/database-client.ts";
import type { World } from "../../harness/world.ts";
import { allRules, auditLedger } from "../../scripts/audit/ledger.ts";
import { remedies } from "../../scripts/audit/meanings/meaning.ts";
import { meanings } from "../../scripts/audit/meanings/meanings.ts";
import { schemaRule } from "../../scripts/audit/schema.ts";
import { isWhole, oneOfEach } from "../support/breadth.ts";
import { attributeDirectly } from "../support/direct-attribution.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, inTestMode, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { reviewCalls } from "../support/review-calls.ts";
import { tributary } from "../support/tributary.ts";
import { cases } from "./audit-cases.ts";
import { AuditCopy } from "./audit-copy.ts";

const own = isolatedService();

/**
 * Records clicks, customers identified by key and by browser, customers who change partners, organic sales, and all
 * kinds of refunds.
 */
async function liveIn({
  world,
  visit,
  lead,
  browserLead,
  sale,
  refund,
  click,
  alice,
  bob,
}: ProgramFixture): Promise<void> {
  const [, , grouped = alice] = world.partners;
  const affiliate_url = `${alice.landingUrl}&aff_sub=newsletter`;
  const [{ click_id }] = await Promise.all([visit({ event_id: "e", affiliate_url }), visit(), visit(inTestMode)]);
  await lead({ click_id, customer_key: "keyed" });
  await browserLead({ click_id: click(bob, daysAgo(2)), customer_key: "browsing" });
  await sale({ customer_key: "keyed", transaction_id: "t", click_id, click_ids: [click(bob, daysAgo(5))] });
  await sale({ customer_key: "organic", transaction_id: "expired", click_id: click(bob, daysAgo(300)) });
  await sale({ customer_key: "keyed", transaction_id: "u" });
  await sale({ customer_key: "keyed", transaction_id: "v" });
  const shown = { click_id: click(bob, daysAgo(5)), click_ids: [click(alice, daysAgo(20))] };
  await sale({ customer_key: "keyed", transaction_id: "before", occurred_at: at(daysAgo(10)), ...shown });
  await sale({ customer_key: "browsing" });
  await sale({ customer_key: "organic" });
  await sale({ customer_key: "couponed", transaction_id: "coupon", coupon_codes: ["gone", "bob10"] });
  await refund({ transaction_id: "t", refund_amount_cents: 3_333 });
  await refund({ transaction_id: "u" });
  await refund({ transaction_id: "v", refund_id: "canceled", refund_amount_cents: 1_000 });
  await refund({ transaction_id: "v", refund_id: "canceled", cancel: true });
  await browserLead({ click_id: click(bob, daysAgo(3)), customer_key: "moving" });
  await sale({ customer_key: "moving", transaction_id: "w" });
  await lead({ click_id: click(alice, daysAgo(2)), customer_key: "moving" });
  await lead({ click_id: click(grouped, daysAgo(2)), customer_key: "grouped" });
  await sale({ customer_key: "grouped" });
  await sale({ customer_key: "imported", transaction_id: "x", occurred_at: at(daysAgo(9)) });
  await attributeDirectly(world, "imported", {
    ...{ source: "import", partner: bob, since: daysAgo(6), firstSaleAt: daysAgo(20), subscriptionId: "imported" },
  });
  await sale({ customer_key: "imported", transaction_id: "y" });
  await sale({ customer_key: "assigned", transaction_id: "z", occurred_at: at(daysAgo(9)) });
  await attributeDirectly(world, "assigned", { source: "person", partner: bob, since: daysAgo(6) });
  const left = { customer_key: "keyed", subscription_id: "s", is_recurring: "auto" } as const;
  await sale({ ...left, transaction_id: "paid" });
  await sale({ ...left, transaction_id: "renewed" });
  await sale({ ...left, transaction_id: "paid long ago", occurred_at: at(daysAgo(1)) });
  await sale({
    customer_key: "imported",
    transaction_id: "continued",
    subscription_id: "imported",
    is_recurring: "auto",
  });
  const email = "alice@example.com";
  await lead({ click_id: click(alice, daysAgo(2)), customer_key: "herself", email });
  await sale({ customer_key: "herself", transaction_id: "own", amount_cents: 4_100 });
  await sale({ customer_key: "keyed", transaction_id: "held", amount_cents: 4_200 });
  await sale({ customer_key: "keyed", transaction_id: "released", amount_cents: 4_300 });
  const review = reviewCalls(world, own.database.url);
  await review.change(alice.id, { email });
  for (const transactionId of ["held", "released"]) await review.hold(transactionId);
  await review.release("released");
}

let client: DatabaseClient;
let world: World;
let stranger: World;
let copy: AuditCopy;

beforeAll(async () => {
  client = openDatabaseClient(own.database.url);
  world = await own.world({
    partners: [{}, {}, { group: 0 }],
    coupons: [{ codes: ["Bob10", "promo_bob"], partner: 1 }],
    groups: [
      { name: "Gold", policies: [{ rateBps: 3_000 }] },
      { name: "Silver", policies: [{ rateBps: 2_500 }] },
    ],
  });
  stranger = await own.world();
  await liveIn(programFixture(world, own.api()));
  copy = await AuditCopy.of(client);
});
afterAll(() => copy?.close());

const auditCommand = (DATABASE_URL: string, ...args: string[]) => tributary(["audit", ...args], { DATABASE_URL });
const right = { code: 0, stdout: `The books are right: ${allRules.length} checks.\n`, stderr: "" };

describe("the audit", () => {
  it("the audit finds nothing in books without a fault", async () => {
    expect(await auditLedger(client)).toEqual([]);
    if (isWhole) expect(await auditCommand(own.database.url)).toEqual(right);
  });

  it("the audit accepts an explanation that was stored by an earlier release, which lacked one of today's policy terms", async () => {
    const { programId } = world;
    const found = await copy.rolledBack(async (within) => {
      within.exec(`update commissions set explanation = json_remove(explanation, '$.policy.maxCommissionCents')
        where program_id = ${programId} and explanation ->> '$.policy.maxCommissionCents' is null`);
      return auditLedger(copy.database, { programId });
    });
    expect(found).toEqual([]);
  });

  it("the audit prints each violation and exits with code 1", async () => {
    await client.execute("create index leads_extra on leads (id)");
    onTestFinished(async () => void (await client.execute("drop index leads_extra")));
    expect(await auditCommand(own.database.url)).toEqual({
      code: 1,
      stdout: [
        `Wrong: ${schemaRule}\n  name index leads_extra, is too many`,
        `\n  Means: ${meanings.get(schemaRule)?.[0]}\n  Do: ${remedies.schema[1]}`,
        `\n\n1 of ${allRules.length} checks fail.\n`,
      ].join(""),
      stderr: "",
    });
  });

  it("the audit uses the data folder given by --data, even if DATABASE_URL is set", { tags: "soak" }, async () => {
    const data = await mkdtemp(join(tmpdir(), "tributary-audit-"));
    onTestFinished(() => rm(data, { recursive: true }));
    const elsewhere = "http://127.0.0.1:1";
    expect(await auditCommand(elsewhere, "--data", data)).toMatchObject({
      code: 3,
      stderr: `No service runs here on ${data}. Start it first.\n`,
    });
    await writeFile(join(data, "running.json"), JSON.stringify({ databaseUrl: own.database.url }));
    expect(await auditCommand(elsewhere, "--data", data)).toEqual(right);
  });

  describe("the audit of a database without constraints", () => {
    it.each(oneOfEach(cases, ([broken]) => broken))("the audit finds %s: %s", async (broken, by) => {
      const { programId, partners } = world;
      const statements = by
        .replaceAll(":own", `program_id = ${programId}`)
        .replaceAll(":bob", String(partners[1]?.id))
        .replaceAll(":stranger", String(stranger.partner.id));
      const found = await copy.rolledBack(async (within) => {
        within.exec(statements);
        return auditLedger(copy.database, { programId });
      });
      expect(found.find((finding) => finding.broken === broken)?.rows.length).toBeGreaterThan(0);
    });

    it("the audit of a database without constraints reports missing and unknown triggers and indexes, lists the first rows that break each rule, and exits with code 1", {
      tags: "soak",
    }, async () => {
      const { rows } = await client.execute("select name from sqlite_master where type = 'trigger'");
      await client.batch(
        [
          ...rows.map(({ name }) => `drop trigger ${name}`),
          ...["drop index leads_customer", "drop index leads_recent", "create index leads_extra on leads (id)"],
          ...["update leads set explanation = '{}'", "update commissions set amount_cents = amount_cents + 1"],
          ...["update sales set occurred_at = occurred_at + 1", "update refunds set told_cents = told_cents - 1"],
          ...["update clicks set created_at = 1", "delete from daily_counts"],
        ],
        "write",
      );
      const found = (await auditLedger(client, { limit: 1_000 })).find(({ broken }) => broken === schemaRule);
      expect(found?.rows).toEqual(
        expect.arrayContaining([
          { name: "trigger ledger_entries_no_update", is: "missing" },
          { name: "index leads_customer", is: "missing" },
          { name: "index leads_extra", is: "too many" },
        ]),
      );
      const { code, stdout } = await auditCommand(own.database.url);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /^Wrong: commissions that are not the sum of their entries\n {2}commission \d+, amount \d+/m,
      );
      const limited = await auditLedger(client, { limit: 2 });
      expect(limited.filter(({ hasMore }) => hasMore).length).toBeGreaterThan(5);
      for (const { rows } of limited) expect(rows.length).toBeLessThanOrEqual(2);
    });
  });

  it("the audit reports an unreachable database", { tags: "soak" }, async () => {
    const { code, stderr } = await auditCommand("http://127.0.0.1:9");
    expect(code).toBe(3);
    expect(stderr).toContain("could not be read");
  });
});
