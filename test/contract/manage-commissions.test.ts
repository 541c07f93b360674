import { describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { copyCommission } from "../support/many-commissions.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Commission {
  readonly id: number;
  readonly saleId: number;
  readonly transactionId: string;
  readonly customerKey: string | null;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly status: string;
  readonly unconfirmed: boolean;
  readonly amountCents: number;
  readonly holdUntil: string | null;
  readonly explanation: Record<string, unknown>;
}
interface Page {
  readonly data: Commission[];
  readonly meta: { readonly nextCursor: string | null };
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  return salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));
}

const path = (shop: SalesFixture) => `/api/programs/${shop.world.programId}/commissions`;
const list = async (shop: SalesFixture, query = "") => (await people.viewer.get<Page>(path(shop) + query)).body;
const csv = async (shop: SalesFixture, query = "") => {
  const reply = await people.viewer.get(`${path(shop)}?format=csv${query}`, { checked: false });
  expect(reply.status, reply.text).toBe(200);
  return reply;
};
const decide = (shop: SalesFixture, id: number | string, verb: "approve" | "reject", body = {}) =>
  people.admin.post<{ data: Commission }>(
    `${path(shop)}/${id}/${verb}`,
    verb === "reject" ? { reason: "self-referral", ...body } : body,
  );
const auditCount = async ({ row, world }: SalesFixture) =>
  (await row("select count(*) as n from audit_entries where program_id = ?", world.programId)).n;

describe("the list of commissions", () => {
  test("the list of commissions contains commissions of live sales with all their fields, newest first, and none of test sales", async () => {
    const shop = await open();
    const { alice } = shop;
    await shop.refer("c1");
    const first = await shop.sell({ transaction_id: "one", amount_cents: 10_000 });
    const second = await shop.sell({ transaction_id: "two" });
    await shop.sell({ transaction_id: "of a test", ...inTestMode });
    const { data, meta } = await list(shop);
    expect(meta).toEqual({ nextCursor: null });
    expect(data.map(({ id }) => id)).toEqual([second.body.commission_id, first.body.commission_id]);
    const { hold_until } = first.body.commission;
    const one = await people.viewer.get<{ data: Commission }>(`${path(shop)}/${first.body.commission_id}`);
    expect(one.body).toEqual({ data: data[1] });
    expect(data[1]).toEqual({
      id: first.body.commission_id,
      saleId: first.body.sale_id,
      transactionId: "one",
      customerKey: "c1",
      saleDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      soldAt: expect.stringMatching(/Z$/),
      saleAmountCents: 10_000,
      saleCurrency: "EUR",
      saleRefundedCents: 0,
      corrected: false,
      partnerId: alice.id,
      partnerCode: alice.code,
      partnerName: `Partner ${alice.code}`,
      source: "click",
      ...{ sub: null, ref: expect.stringMatching(/^[A-Z2-7]{10}$/) },
      status: "pending",
      reason: null,
      unconfirmed: false,
      held: false,
      ...{ heldSince: null, reviewUntil: null, reasons: [] },
      ...{ rateBps: 2_000, appliedRateBps: 2_000 },
      initialCents: 2_000,
      amountCents: 2_000,
      currency: "EUR",
      holdUntil: hold_until,
      approvedAt: null,
      approvedBy: null,
      createdAt: expect.stringMatching(/Z$/),
      inPayout: false,
      explanation: {
        decidedAt: expect.stringMatching(/Z$/),
        decision: "earned",
        sale: { transactionId: "one", amountCents: 10_000, currency: "EUR", occurredAt: expect.stringMatching(/Z$/) },
        partner: { id: alice.id, code: alice.code },
        click: { id: expect.any(String), at: new Date(daysAgo(1)).toISOString() },
        considered: null,
        clickAgeDays: 0,
        windowDays: 60,
        windowUntil: "lead",
        bound: { by: "lead", at: new Date(daysAgo(1)).toISOString() },
        evidence: "key",
        model: "last_click",
        policy: expect.objectContaining({ version: 1, rateBps: 2_000, effectiveFrom: expect.stringMatching(/Z$/) }),
        baseCents: 10_000,
        uncappedCents: 2_000,
        capped: false,
        rounding: "half_up",
        amountCents: 2_000,
        holdUntil: hold_until,
      },
    });
  });

  test("the list of commissions omits void commissions by default, and filters by status and partner", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    await shop.refer("c2", { partner: shop.bob });
    const ids = async (query: string) => (await list(shop, query)).data.map(({ id }) => id);
    const sell = async (customer_key: string) => (await shop.sell({ customer_key })).body.commission_id;
    const [alices, bobs, nobodys] = [await sell("c1"), await sell("c2"), await sell("stranger")];
    await decide(shop, bobs, "reject");
    expect(await ids("")).toEqual([bobs, alices]);
    expect(await ids("?status=void")).toEqual([nobodys]);
    expect(await ids("?status=approved")).toEqual([alices]);
    expect(await ids("?status=rejected")).toEqual([bobs]);
    expect(await ids("?status=paid")).toEqual([]);
    expect(await ids(`?partnerId=${shop.alice.id}`)).toEqual([alices]);
    expect(await ids(`?partnerId=${shop.alice.id}&status=rejected`)).toEqual([]);
    const [voided] = (await list(shop, "?status=void")).data;
    expect(voided).toMatchObject({ partnerId: null, partnerCode: null, holdUntil: null, amountCents: 0 });
    expect(voided?.explanation).toMatchObject({ decision: "void", reason: "customer_not_found" });
  });
});

/** Opens a program with this many sales and commissions. All but the first are written directly to the database. */
async function openBig(count: number): Promise<SalesFixture> {
  const shop = await open();
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "first" });
  await copyCommission(shop, body, count);
  return shop;
}

describe("a long list of commissions", () => {
  test("a long list of commissions is paginated, with each commission once", async () => {
    const shop = await openBig(120);
    const seen: number[] = [];
    const sizes: number[] = [];
    for (let query = ""; ; ) {
      const { data, meta } = await list(shop, query);
      seen.push(...data.map(({ id }) => id));
      sizes.push(data.length);
      if (meta.nextCursor === null) break;
      query = `?cursor=${meta.nextCursor}`;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a));
  });

  test("a long list of commissions downloads as one CSV file", async () => {
    const shop = await openBig(1_201);
    const { headers, text } = await csv(shop);
    expect(headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="tributary-test-program-commissions.csv"');
    const [head, ...lines] = parseCsv(text);
    expect(head?.slice(0, 4)).toEqual(["id", "saleId", "transactionId", "customerKey"]);
    expect(lines).toHaveLength(1_201);
    expect(new Set(lines.map(([, , transactionId]) => transactionId)).size).toBe(1_201);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([18]));
  });
});

describe("the CSV file of commissions", () => {
  test("the CSV file of commissions contains the same values as the list", async () => {
    const shop = await open();
    await shop.refer("c1");
    await shop.sell({ transaction_id: 'with "quotes", and commas' });
    const [commission] = (await list(shop)).data;
    const [head = [], line = []] = parseCsv((await csv(shop)).text);
    const cells = Object.fromEntries(head.map((name, i) => [name, line[i] ?? ""]));
    const { explanation = "", ...plain } = cells;
    expect(JSON.parse(explanation)).toEqual(commission?.explanation);
    const said = Object.entries({ ...commission }).filter(([name]) => name in plain);
    expect(plain).toEqual(Object.fromEntries(said.map(([name, value]) => [name, String(value ?? "")])));
  });

  test.each(["=1+1", "-1", "＝1+1", '=hyperlink("http://evil.example","x")', "x;=1+1"])(
    "the CSV file of commissions escapes a formula that a spreadsheet would evaluate: %s",
    async (transaction_id) => {
      const shop = await open();
      await shop.refer(transaction_id);
      await shop.sell({ transaction_id, customer_key: transaction_id });
      const [, line] = parseCsv((await csv(shop)).text);
      const disarmed = transaction_id.replace(/(^|;)(?!x)/, "$1'");
      expect(line?.slice(2, 4)).toEqual([disarmed, disarmed]);
      expect((await list(shop)).data[0]).toMatchObject({ transactionId: transaction_id });
    },
  );

  test("the CSV file of commissions applies the filters, and has only a header row if nothing matches", async () => {
    const shop = await open();
    await shop.refer("c1");
    await shop.sell();
    expect(parseCsv((await csv(shop, "&status=paid")).text)).toHaveLength(1);
    expect(parseCsv((await csv(shop, "&status=pending")).text)).toHaveLength(2);
    expect(parseCsv((await csv(shop, `&partnerId=${shop.bob.id}`)).text)).toHaveLength(1);
  });
});

describe("an approval of a commission", () => {
  test("an approval of a commission ends the hold, and changes nothing when repeated", async () => {
    const shop = await open();
    await shop.refer("c1");
    const { commission_id } = (await shop.sell()).body;
    const approved = await decide(shop, commission_id, "approve");
    expect(approved.status).toBe(200);
    expect(approved.body.data).toMatchObject({
      id: commission_id,
      status: "approved",
      approvedBy: "person",
      amountCents: 200,
    });
    expect(await auditCount(shop)).toBe(1);
    const again = await decide(shop, commission_id, "approve");
    expect([again.status, again.body]).toEqual([200, approved.body]);
    expect(await auditCount(shop)).toBe(1);
    expect(await shop.entries(commission_id)).toEqual([["earned", 200]]);
  });

  test("an approval of a commission releases an unconfirmed commission", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    const { commission_id, commission } = (await shop.sell()).body;
    expect(commission).toMatchObject({ status: "pending", unconfirmed: true });
    const { data } = (await decide(shop, commission_id, "approve")).body;
    expect(data).toMatchObject({ status: "approved", unconfirmed: false });
  });

  test("an approval of a commission applies to the amount left after a partial refund, and is refused after a full refund", async () => {
    const shop = await open();
    await shop.refer("c1");
    const { commission_id } = (await shop.sell({ transaction_id: "t" })).body;
    await shop.giveBack("t", { refund_amount_cents: 500 });
    expect((await decide(shop, commission_id, "approve")).body.data).toMatchObject({ amountCents: 100 });
    await shop.giveBack("t");
    expect(refusalOf(await decide(shop, commission_id, "approve"))).toBe("409 A reversed commission can't be approved");
  });
});

describe("a rejection of a commission", () => {
  test.each(["pending", "approved"])("a rejection reverses a %s commission once", async (status) => {
    const shop = await open({ policies: [{ holdDays: status === "pending" ? 15 : 0 }] });
    await shop.refer("c1");
    const { commission_id, commission } = (await shop.sell({ transaction_id: "t" })).body;
    expect(commission.status).toBe(status);
    const rejected = await decide(shop, commission_id, "reject");
    expect([rejected.status, rejected.body.data]).toEqual([
      200,
      expect.objectContaining({ id: commission_id, status: "rejected", amountCents: 0 }),
    ]);
    const again = await decide(shop, commission_id, "reject", { reason: "another" });
    expect([again.status, again.body]).toEqual([200, rejected.body]);
    expect(await auditCount(shop)).toBe(1);
    expect(await shop.entries(commission_id)).toEqual([
      ["earned", 200],
      ["rejected", -200],
    ]);
    expect(refusalOf(await decide(shop, commission_id, "approve"))).toBe("409 A rejected commission can't be approved");
    expect((await shop.giveBack("t")).body).toMatchObject({ commission_reversed_cents: 0 });
  });

  test("a rejection of a commission takes effect once among parallel rejections and approvals", async () => {
    const shop = await open();
    await shop.refer("c1");
    const { commission_id } = (await shop.sell()).body;
    const replies = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((i) => decide(shop, commission_id, i % 2 === 0 ? "reject" : "approve")),
    );
    // An approval succeeds before the first rejection, and returns a conflict after it.
    for (const { status } of replies) expect([200, 409]).toContain(status);
    expect((await decide(shop, commission_id, "approve")).status).toBe(409);
    expect(await shop.entries(commission_id)).toEqual([
      ["earned", 200],
      ["rejected", -200],
    ]);
    expect(Number(await auditCount(shop))).toBeLessThanOrEqual(2);
  });

  test.each([{ reason: null }, { reason: " " }, { reason: 5 }, { reason: "x".repeat(256) }])(
    "a rejection of a commission requires a reason: %j",
    async (body) => {
      const shop = await open();
      await shop.refer("c1");
      const { commission_id } = (await shop.sell()).body;
      const reply = await people.admin.post(`${path(shop)}/${commission_id}/reject`, body);
      expect([reply.status, invalidFields(reply)]).toEqual([400, ["reason"]]);
      expect((await shop.commission(commission_id)).status).toBe("pending");
    },
  );
});

describe("approving and rejecting commissions", () => {
  test("approving and rejecting are refused for void and paid commissions", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const organic = (await shop.sell({ customer_key: "stranger" })).body.commission_id;
    const paid = (await shop.sell()).body.commission_id;
    const payouts = `/api/programs/${shop.world.programId}/payouts`;
    const { body } = await people.admin.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
    expect((await people.admin.post(`${payouts}/${body.data.id}/confirm`, {})).status).toBe(200);
    const before = await auditCount(shop);
    for (const [verb, done] of [
      ["approve", "approved"],
      ["reject", "rejected"],
    ] as const) {
      expect(refusalOf(await decide(shop, organic, verb))).toBe(`409 A void commission can't be ${done}`);
      expect(refusalOf(await decide(shop, paid, verb))).toBe(`409 A paid commission can't be ${done}`);
    }
    expect(await auditCount(shop)).toBe(before);
  });

  test("commissions of another program or of test sales can't be approved or rejected", async () => {
    const [shop, other] = [await open(), await open()];
    await other.refer("c1");
    const theirs = (await other.sell()).body.commission_id;
    const ofTest = (await shop.sell({ transaction_id: "t", ...inTestMode })).body.commission_id;
    for (const id of [theirs, ofTest, 0, "x", "1.5", 2 ** 52]) {
      expect(refusalOf(await decide(shop, id, "approve"))).toBe("404 Commission not found");
      expect(refusalOf(await decide(shop, id, "reject"))).toBe("404 Commission not found");
    }
    expect((await other.commission(theirs)).status).toBe("pending");
  });
});
