import { describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { reserve } from "../support/payout-rows.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();

interface Balance {
  readonly partnerId: number;
  readonly name: string;
  readonly currency: string;
  readonly pendingCents: number;
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  readonly carriedCents: number;
}
interface Page {
  readonly data: Balance[];
  readonly meta: { readonly nextCursor: string | null };
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  const till = salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));
  await till.refer("c1");
  await till.refer("c2", { partner: till.bob });
  return till;
}

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}/balances`;
const list = async (till: SalesFixture, query = "") => (await people.viewer.get<Page>(path(till) + query)).body;
const amounts = ({ pendingCents, payableCents, inPayoutCents, paidCents, carriedCents }: Balance) => [
  pendingCents,
  payableCents,
  inPayoutCents,
  paidCents,
  carriedCents,
];
const decide = (till: SalesFixture, id: number, verb: "approve" | "reject") =>
  people.admin.post(`/api/programs/${till.world.programId}/commissions/${id}/${verb}`, { reason: "self-referral" });

/** Rows that the Ledger is between two steps of are wrong by the audit's other rules. */
const balancesOf = async (till: SalesFixture) => (await list(till)).data.map(amounts);

describe("the list of balances", () => {
  test("has a row for each partner and currency, by currency", async () => {
    const till = await open({ policies: [{ holdDays: 0 }] });
    const { alice, bob } = till;
    await till.sell({ amount_cents: 1_000 });
    await till.sell({ amount_cents: 2_000, currency: "JPY" });
    await till.sell({ amount_cents: 3_000, customer_key: "c2", currency: "kwd" });
    await till.sell({ amount_cents: 9_000, ...inTestMode });
    const { data, meta } = await list(till);
    expect(meta.nextCursor).toBe(null);
    const nothing = { pendingCents: 0, payableCents: 0, inPayoutCents: 0, paidCents: 0, carriedCents: 0 };
    expect(data).toEqual([
      { partnerId: alice.id, name: `Partner ${alice.code}`, currency: "EUR", ...nothing, payableCents: 200 },
      { partnerId: alice.id, name: `Partner ${alice.code}`, currency: "JPY", ...nothing, payableCents: 400 },
      { partnerId: bob.id, name: `Partner ${bob.code}`, currency: "KWD", ...nothing, payableCents: 600 },
    ]);
    await expectLedgerConsistent(till.world);
  });

  test("follows a commission from its hold to its reversal", async () => {
    const till = await open();
    const { commission_id } = (await till.sell({ transaction_id: "t" })).body;
    const other = (await till.sell()).body.commission_id;
    expect(await balancesOf(till)).toEqual([[400, 0, 0, 0, 0]]);
    await decide(till, commission_id, "approve");
    expect(await balancesOf(till)).toEqual([[200, 200, 0, 0, 0]]);
    await till.giveBack("t", { refund_amount_cents: 250 });
    expect(await balancesOf(till)).toEqual([[200, 150, 0, 0, 0]]);
    await decide(till, other, "reject");
    expect(await balancesOf(till)).toEqual([[0, 150, 0, 0, 0]]);
    await expectLedgerConsistent(till.world);
  });

  test("counts what only a browser reported as pending", async () => {
    const till = await open({ policies: [{ holdDays: 0 }] });
    await till.browserLead({ customer_key: "c3", click_id: till.click(till.alice) });
    await till.sell({ customer_key: "c3" });
    expect(await balancesOf(till)).toEqual([[200, 0, 0, 0, 0]]);
  });

  test.each([
    ["cursor=x&format=xml", ["cursor", "format"]],
    [`cursor=${Buffer.from("after 1").toString("base64url")}`, ["cursor"]],
    [`cursor=${Buffer.from("eur 1").toString("base64url")}`, ["cursor"]],
  ])("takes no %s", async (query, fields) => {
    const reply = await people.viewer.get(`${path(await open())}?${query}`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });
});

describe("a payout", () => {
  const reserved = async () => {
    const till = await open({ policies: [{ holdDays: 0 }] });
    const { commission_id } = (await till.sell({ transaction_id: "t" })).body;
    await till.sell({ transaction_id: "other" });
    return { till, ...(await reserve(till, commission_id, till.alice.id)) };
  };

  test("takes what it reserves, and a refund from then on is carried", async () => {
    const { till } = await reserved();
    expect(await balancesOf(till)).toEqual([[0, 200, 200, 0, 0]]);
    await till.giveBack("t", { refund_amount_cents: 500 });
    expect(await balancesOf(till)).toEqual([[0, 100, 200, 0, 0]]);
    await till.giveBack("other");
    expect(await balancesOf(till)).toEqual([[0, 0, 200, 0, -100]]);
  });

  test.each([
    ["a dropped line", "update payout_lines set state = 'dropped', reason = 'paused' where payout_id = ?"],
    ["a payout on its way back to a draft", "update payouts set phase = 'returning' where id = ?"],
  ])("has nothing reserved for %s, though its entries aren't free yet", async (_, sql) => {
    const { till, id } = await reserved();
    await till.write(sql, id);
    expect(await balancesOf(till)).toEqual([[0, 400, 0, 0, 0]]);
  });

  test("that is canceled has nothing reserved, though its entries aren't free yet", async () => {
    const { till, id } = await reserved();
    await till.write("update payouts set status = 'final', phase = null where id = ?", id);
    await till.write(
      "update payouts set status = 'canceled', phase = 'freeing', canceled_at = 1, canceled_by = 'u' where id = ?",
      id,
    );
    expect(await balancesOf(till)).toEqual([[0, 400, 0, 0, 0]]);
  });

  test("is paid from its confirmation on, before its entries are written and after", async () => {
    const { till, id, lineId } = await reserved();
    await till.write("update payout_lines set state = 'live' where payout_id = ?", id);
    await till.write("update payouts set status = 'final', phase = null where id = ?", id);
    expect(await balancesOf(till)).toEqual([[0, 200, 200, 0, 0]]);
    await till.write(
      "update payouts set status = 'confirming', phase = 'paying', confirmed_at = 1, confirmed_by = 'u' where id = ?",
      id,
    );
    expect(await balancesOf(till)).toEqual([[0, 200, 0, 200, 0]]);
    await till.write(
      `insert into ledger_entries (id, program_id, is_test, partner_id, kind, amount_cents, currency, occurred_at,
         created_at, day, payout_line_id)
       select 140737488355328 + program_id, program_id, 0, partner_id, 'paid', -amount_cents, currency, 1, 1,
         '2026-01-01', id from payout_lines where id = ?`,
      lineId,
    );
    expect(await balancesOf(till)).toEqual([[0, 200, 0, 200, 0]]);
  });
});

/** Written directly to the database. */
async function openBig(partners: number): Promise<SalesFixture> {
  const till = await open();
  const { programId } = till.world;
  const base = 2 ** 47 + programId;
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${partners})`;
  await till.world.write(
    {
      sql: `insert into partners (id, program_id, name, status, is_synthetic, created_at)
        ${numbers} select ${base} + n, ?, '=cmd' || n, 'active', 0, 1 from numbers`,
      args: [programId],
    },
    {
      sql: `insert into partner_balances (program_id, currency, partner_id, net_cents)
        ${numbers} select ?, iif(n % 2, 'EUR', 'USD'), ${base} + n, iif(n % 3, n, -n) from numbers`,
      args: [programId],
    },
  );
  return till;
}

describe("a long list of balances", () => {
  test("goes page by page, each balance once", async () => {
    const till = await openBig(120);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let query = ""; ; ) {
      const { data, meta } = await list(till, query);
      seen.push(...data.map(({ currency, partnerId }) => `${currency} ${partnerId}`));
      sizes.push(data.length);
      if (meta.nextCursor === null) break;
      query = `?cursor=${meta.nextCursor}`;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual([...new Set(seen)].toSorted());
  });

  test("is one download as CSV, whose names are no formulas and whose amounts are numbers", async () => {
    const till = await openBig(1_201);
    const { headers, text, status } = await people.viewer.get(`${path(till)}?format=csv`, { checked: false });
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="balances.csv"');
    const [head, ...lines] = parseCsv(text);
    expect(head).toEqual([
      ...[
        "partnerId",
        "name",
        "currency",
        "pendingCents",
        "payableCents",
        "inPayoutCents",
        "paidCents",
        "carriedCents",
      ],
    ]);
    expect(lines).toHaveLength(1_201);
    expect(new Set(lines.map(([id]) => id)).size).toBe(1_201);
    expect(lines.every(([, name = ""]) => name.startsWith("'=cmd"))).toBe(true);
    const carried = lines.reduce((sum, line) => sum + Number(line[7]), 0);
    expect(carried).toBe(-Array.from({ length: 400 }, (_, i) => 3 * (i + 1)).reduce((sum, n) => sum + n, 0));
  });
});
