import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient } from "@libsql/client/http";
import { beforeAll, describe, expect, it } from "vitest";
import { allRules, auditLedger, invariants } from "../../scripts/audit/ledger.ts";
import { node, root } from "../../scripts/root.ts";
import { ownService } from "../support/own-service.ts";
import { daysAgo, inTestMode, type Shop, shopIn } from "../support/shop.ts";
import type { World } from "../support/world.ts";

const own = ownService();

type Case = readonly [broken: string, by: string];

/** `:own` keeps a statement to the rows of the case's program; Bob is its second partner, the stranger no one of it. */
const cases: readonly Case[] = [
  ["sales without exactly one commission", "delete from commissions where :own and status = 'void'"],
  [
    "commissions of another partner, currency or book than their sale",
    "update commissions set partner_id = :bob where :own and status = 'pending'",
  ],
  [
    "commissions of another partner, currency or book than their sale",
    "update commissions set currency = 'USD' where :own and status = 'void'",
  ],
  [
    "commissions that are not the sum of their entries",
    "update commissions set amount_cents = amount_cents + 1 where :own and status = 'pending'",
  ],
  [
    "void commissions that come to something",
    "update commissions set initial_cents = 1 where :own and status = 'void'",
  ],
  [
    "commissions that are due and were not earned once, as a whole",
    "delete from ledger_entries where :own and kind = 'earned'",
  ],
  [
    "commissions that are not their share of what is left of the sale",
    "update commissions set amount_cents = amount_cents - 1 where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that are not refunded whole, and open ones of sales that are",
    "update commissions set status = 'reversed' where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that are not refunded whole, and open ones of sales that are",
    "update commissions set status = 'pending' where :own and status = 'reversed'",
  ],
  [
    "rejected commissions that come to something, and rejections of others",
    "update commissions set status = 'rejected' where :own and status = 'pending'",
  ],
  [
    "rejected commissions that come to something, and rejections of others",
    "update ledger_entries set kind = 'rejected', refund_id = null where :own and kind = 'reversed'",
  ],
  ...[
    "update commissions set status = 'approved' where :own and is_unconfirmed",
    "update customers set evidence = 'key' where :own and evidence = 'browser'",
    "update customers set confirmed_at = 1 where :own and evidence = 'browser'",
    "update commissions set is_unconfirmed = 0 where :own and is_unconfirmed",
  ].map(
    (by): Case => [
      "unconfirmed commissions that were approved, or whose customer is confirmed, and the other way round",
      by,
    ],
  ),
  [
    "approvals without an instant, or before the end of the hold that gave them",
    "update commissions set status = 'approved' where :own and status = 'pending'",
  ],
  [
    "approvals without an instant, or before the end of the hold that gave them",
    "update commissions set status = 'approved', approved_at = 1, approved_by = 'hold' where :own and status = 'pending'",
  ],
  [
    "customers for whom a one-time policy pays more than once",
    "update commission_policies set scope = 'one_time' where :own",
  ],
  [
    "customers whose one-time commission is not theirs, or was taken back while it was pending",
    `update customers set one_time_commission_id = (select min(id) from commissions where :own and status = 'void')
     where :own`,
  ],
  ["commissions whose explanation is not theirs", "update commissions set explanation = '{' where :own"],
  [
    "commissions whose explanation is not theirs",
    "update commissions set explanation = json_set(explanation, '$.amountCents', 1) where :own and status = 'pending'",
  ],
  [
    "commissions whose explanation is not theirs",
    "update commissions set explanation = json_remove(explanation, '$.reason') where :own and status = 'void'",
  ],
  [
    "entries of another currency or book than their commission",
    "update ledger_entries set currency = 'USD' where :own",
  ],
  [
    "entries of a partner whom their commission did not leave with all that it had",
    "update ledger_entries set partner_id = :bob where :own and kind = 'earned'",
  ],
  [
    "entries of a partner whom their commission did not leave with all that it had",
    "update ledger_entries set partner_id = :bob where :own and kind = 'reversed'",
  ],
  [
    "entries that were posted before an earlier one",
    "update ledger_entries set created_at = 1 where :own and id = (select max(id) from ledger_entries where :own)",
  ],
  [
    "entries that take a commission below nothing",
    "update ledger_entries set amount_cents = -100000 where :own and kind = 'reversed'",
  ],
  [
    "reversals and restorations that are not those of their refund",
    "update ledger_entries set amount_cents = amount_cents - 1 where :own and kind = 'reversed'",
  ],
  [
    "refunds that reverse something without exactly one entry",
    "delete from ledger_entries where :own and kind = 'reversed'",
  ],
  [
    "sales whose refunds come to something else, or to more than was paid",
    "update sales set refunded_cents = refunded_cents - 1 where :own and refunded_cents > 0",
  ],
  [
    "sales whose refunds come to something else, or to more than was paid",
    "update refunds set counted_cents = counted_cents + 1 where :own",
  ],
  ["closed refunds that count", "update refunds set counted_cents = 1 where :own and refund_id is not null"],
  [
    "calls of one refund told in two ways, and charges told in two totals",
    "update refunds set asked = 'cancel_total', told_cents = 0 where :own and asked = 'cancel'",
  ],
  [
    "calls of one refund told in two ways, and charges told in two totals",
    "update refunds set charge_total_cents = id where :own",
  ],
  [
    "refunds whose total is not that of all up to them",
    "update refunds set refunded_total_cents = refunded_total_cents + 1 where :own",
  ],
  [
    "refunds of another partner, currency or book than their sale, or before it",
    "update refunds set partner_id = :bob where :own",
  ],
  [
    "refunds of another partner, currency or book than their sale, or before it",
    "update refunds set occurred_at = 1 where :own",
  ],
  [
    "refunds whose status is not what they did",
    "update refunds set status = 'reversed' where :own and status = 'refunded'",
  ],
  [
    "refunds after which something else was left of the commission than they say",
    "update refunds set commission_amount_cents = commission_amount_cents + 1 where :own",
  ],
  [
    "customers with more than one lead",
    "update leads set customer_id = (select max(id) from customers where :own) where :own and customer_id is not null",
  ],
  [
    "leads of another partner, click or book than their customer",
    "update leads set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "leads that settled nobody and are somebody's",
    "update leads set customer_id = null, unsettled_key = id where :own and partner_id is not null",
  ],
  [
    "customers owed to another partner than their link's",
    "update customers set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "customers owed to a click that they did not show",
    "delete from customer_clicks where customer_id in (select id from customers where :own)",
  ],
  [
    "clicks shown by a customer with a key as one without, or the other way round",
    "update customer_clicks set is_nameless = 1 where customer_id in (select id from customers where :own)",
  ],
  [
    "sales of another book than their customer, or owed to another partner",
    "update customers set is_test = 1 where :own",
  ],
  [
    "sales of another book than their customer, or owed to another partner",
    "update sales set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "customers whose first sale, or first attributed sale, is not their earliest",
    "update customers set first_sale_at = first_sale_at - 1 where :own",
  ],
  [
    "customers whose first sale, or first attributed sale, is not their earliest",
    "update customers set first_attributed_sale_at = null where :own",
  ],
  [
    "events that stand for no click, or for that of another book or link",
    "update click_event_ids set click_id = 'gone' where :own",
  ],
  [
    "events that stand for no click, or for that of another book or link",
    "update click_event_ids set link_id = link_id + 1 where :own",
  ],
  [
    "clicks of one event on one link within 24 hours of each other",
    "update clicks set event_id = 'e' where :own and event_id is null and not is_test",
  ],
  ...["clicks", "customers", "leads", "sales", "refunds", "commissions", "referral_links"].map(
    (table): Case => [
      `${table.replace("_", " ")} of another program's partner`,
      `update ${table} set partner_id = :stranger where :own and partner_id is not null`,
    ],
  ),
  [
    "commission policies of another program's partner",
    "update commission_policies set partner_id = :stranger where :own",
  ],
  ["live rows of a partner made for verification", "update partners set is_synthetic = 1 where :own"],
  ["clicks of another partner or program than their link's", "update clicks set partner_id = :bob where :own"],
  [
    "clicks shown to another program than their link's",
    `update customer_clicks set link_id = (select id from referral_links where partner_id = :stranger)
     where customer_id in (select id from customers where :own)`,
  ],
  [
    "shown clicks that were recorded in another book",
    "update clicks set is_test = 1 where :own and event_id is not null",
  ],
  [
    "commissions by another program's policy, or another partner's",
    `update commissions set policy_id = (select c.id from commission_policies c join partners p using (program_id)
       where p.id = :stranger) where :own and policy_id is not null`,
  ],
  ...Object.keys(invariants).flatMap((broken): Case[] => {
    const column = /^daily counts whose (\w+)/.exec(broken)?.[1];
    return column === undefined ? [] : [[broken, `update daily_counts set ${column} = ${column} + 1 where :own`]];
  }),
];

/** Of everything something: clicks, customers by key, by browser and moved, organic sales, refunds of all kinds. */
async function liveIn({ visit, lead, browserLead, sale, refund, click, alice, bob }: Shop): Promise<void> {
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
      await liveIn(shopIn(world, own.api()));
      worlds[i] = world;
    }),
  );
});

const worldOf = (i: number): World => {
  const world = worlds[i];
  if (world === undefined) throw new Error("each case has a world");
  return world;
};

/** What `npm run audit:ledger` runs. */
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

  it("has a case for each of its checks", () => {
    expect([...new Set(cases.map(([broken]) => broken))].sort()).toEqual(Object.keys(invariants).sort());
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
      await write(
        by
          .replaceAll(":own", `program_id = ${programId}`)
          .replaceAll(":bob", String(bob?.id))
          .replaceAll(":stranger", String(stranger.id)),
      );
      const found = (await audit()).find((finding) => finding.broken === broken);
      expect(found?.rows.length).toBeGreaterThan(0);
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
