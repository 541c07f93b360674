import { beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
let world: World;
let calls: ReturnType<typeof callsOf>;

beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "one_time" }] });
  calls = callsOf(world, own.proxy.url);
  await calls.sale("warm", now - day, { customerKey: "warm" });
  own.proxy.resetCounts();
});

describe("calls that are decided in one batch", () => {
  const click = (daysBefore = 3) => calls.click(world.partner, now - daysBefore * day);
  const shown = (...clicks: ReturnType<typeof click>[]) => ({ clicks, sentClickId: clicks.length > 0 });
  const outcomeOf = (transaction: string) => calls.commissions().then((all) => all.find(({ t }) => t === transaction));
  const ofCustomer = async (column: string) => {
    const sql = `select ${column} from customers where program_id = ? and customer_key = 'c1'`;
    return (await world.rows(sql, world.programId))[0]?.[column];
  };

  it("of several sales without a partner in one batch of calls, the earliest becomes the customer's first sale, in any order of arrival", async () => {
    await calls.lead("key", [], "c1");
    await calls.together(...[5, 9, 7].map((days) => calls.saleTask(`${days}`, now - days * day)));
    expect(await ofCustomer("first_sale_at")).toBe(now - 9 * day);
  });

  it("a lead is decided after the sales before it in its batch of calls, and these sales are attributed to the lead's partner", async () => {
    await calls.sale("first", now - day);
    await calls.together(calls.saleTask("a", now - day), calls.leadTask("key", [click()]), calls.saleTask("b", now));
    for (const t of ["first", "a", "b"]) expect(await outcomeOf(t)).toMatchObject({ partner_id: world.partner.id });
    await expectLedgerConsistent(world);
  });

  it("a browser's lead of a known customer is decided without waiting for the sales before it in its batch of calls", async () => {
    await calls.sale("first", now - day);
    await calls.together(calls.saleTask("a", now), calls.leadTask("browser", [click()]), calls.saleTask("b", now));
    for (const t of ["a", "b"]) expect(await outcomeOf(t)).toMatchObject({ status: "void", reason: "no_click" });
  });

  it("in a batch of calls, the first sale with a click also attributes the customer's sales before it", async () => {
    await calls.sale("first", now - day);
    await calls.together(
      calls.saleTask("a", now - day),
      calls.saleTask("b", now, shown(click())),
      calls.saleTask("c", now),
    );
    for (const t of ["first", "a", "b", "c"]) {
      expect(await outcomeOf(t)).toMatchObject({ partner_id: world.partner.id });
    }
    await expectLedgerConsistent(world);
  });

  it("a one_time policy pays one of a customer's sales in a batch of calls, also after a refund makes the commission available again", async () => {
    await calls.lead("key", [click()]);
    await calls.together(...["a", "b", "c"].map((t) => calls.saleTask(t, now)));
    const paid = async () => (await calls.commissions()).filter(({ status }) => status === "pending").map(({ t }) => t);
    expect(await paid()).toEqual(["a"]);
    await calls.together(
      calls.saleTask("d", now),
      calls.refundTask("a", "rest"),
      calls.saleTask("e", now),
      calls.saleTask("f", now),
      calls.refundTask("b", "amount", { cents: 1 }),
    );
    expect(await paid()).toEqual(["e"]);
    await expectLedgerConsistent(world);
  });

  it("repeats of a sale in one batch of calls record nothing, and each response has the sale's state at that point of the batch", async () => {
    await calls.lead("key", [click()]);
    await calls.sale("a", now - day);
    const [again, , told] = await calls.together(
      calls.saleTask("a", now, { customerKey: "somebody else" }),
      calls.refundTask("a", "amount", { cents: 500 }),
      calls.saleTask("a", now, { customerKey: "somebody else" }),
    );
    expect(again).toMatchObject({ refusal: { sale: { commission: { amountCents: 200 } } } });
    expect(told).toMatchObject({ refusal: { sale: { commission: { amountCents: 100 } } } });
  });

  it("live sales in a batch of calls are decided without regard to the test book's sales with the same customer_key", async () => {
    await calls.sale("first", now - day);
    await calls.sale("first", now - day, { isTest: true });
    await calls.together(
      calls.saleTask("a", now, { isTest: true }),
      calls.leadTask("key", [click()]),
      calls.saleTask("a", now),
    );
    const ofBook =
      "select partner_id, is_test from sales where program_id = ? and transaction_id = 'a' order by is_test";
    expect(await world.rows(ofBook, world.programId)).toEqual([
      { partner_id: world.partner.id, is_test: 0 },
      { partner_id: null, is_test: 1 },
    ]);
  });

  it("a renewal is attributed to the customer to whom the preceding sale in its batch of calls gave the subscription", async () => {
    await calls.sale("first", now - day, { subscriptionId: "s" });
    await calls.sale("known", now - day, { customerKey: "another" });
    await calls.together(
      calls.saleTask("a", now - 1, { subscriptionId: "s", customerKey: "another" }),
      calls.saleTask("b", now, { subscriptionId: "s", customerKey: null }),
    );
    const sql = `select u.customer_key from sales s join customers u on u.id = s.customer_id
      where s.program_id = ? and s.transaction_id = 'b'`;
    expect(await world.rows(sql, world.programId)).toEqual([{ customer_key: "another" }]);
  });

  const approval = (commissionId: number) =>
    calls.ledger.changeTask(
      {
        ...{ kind: "decide-commissions", operationId: `${commissionId}`, at: now, programId: world.programId },
        ...{ actorId: "someone", reason: null, partnerNote: null, commissionIds: [commissionId], decision: "approved" },
      },
      now,
    );

  it("an approval is refused if a full refund of its sale comes before it in the same batch of calls", async () => {
    await calls.lead("browser", [click()]);
    const sold = await calls.sale("a", now - day);
    const [, decided] = await calls.together(calls.refundTask("a", "rest"), approval(sold.commissionId));
    const outcomes = [{ result: "refused", refusal: { code: "commission_closed" } }];
    expect(decided).toMatchObject({ ok: true, answer: { outcomes } });
    await expectLedgerConsistent(world);
  });

  it("one approval confirms all sales in the same batch of calls of a customer whom only a browser has reported", async () => {
    await calls.lead("browser", [click()]);
    const sold = await calls.sale("a", now - day);
    await calls.together(calls.saleTask("b", now), approval(sold.commissionId), calls.saleTask("c", now));
    for (const t of ["a", "b", "c"]) expect(await outcomeOf(t)).toMatchObject({ is_unconfirmed: 0 });
    await expectLedgerConsistent(world);
  });

  it("calls that wait for the same lock keep their order, even if the earlier call waits for a second lock as well", async () => {
    own.proxy.inject({ kind: "late", ms: 300 }, { only: "writes", after: 1, times: 1 });
    const first = calls.together(calls.saleTask("a", now), calls.saleTask("waits", now, { subscriptionId: "s" }));
    await expect.poll(() => own.proxy.counts.writes).toBe(2);
    await calls.sale("later", now, { subscriptionId: "s", customerKey: "another" });
    await first;
    const sql = "select transaction_id as t from sales where program_id = ? and subscription_id = 's' order by id";
    expect(await world.rows(sql, world.programId)).toEqual([{ t: "waits" }, { t: "later" }]);
  });
});

describe("refunds of one sale that are decided in one batch of calls", () => {
  beforeEach(async () => {
    await calls.lead("key", [calls.click(world.partner, now - 3 * day)]);
    await calls.sale("sold", now - day);
  });
  const amount = (cents: number, more = {}) => calls.refundTask("sold", "amount", { cents, ...more });

  it("each refund of one sale in a batch of calls can use the amount that the refunds before it left, and is refused if it exceeds that amount", async () => {
    const outcomes = await calls.together(
      amount(600),
      amount(300, { refundId: "r" }),
      amount(300, { refundId: "r" }),
      amount(200),
      amount(100),
    );
    expect(outcomes).toMatchObject([
      { ok: true, answer: { refundedTotalCents: 600, commissionAmountCents: 80 } },
      { ok: true, answer: { refundedTotalCents: 900, commissionAmountCents: 20 } },
      { ok: true, answer: { status: "skipped", reason: "duplicate refund_id" } },
      { ok: false, refusal: { code: "refund_exceeds_sale", refundableCents: 100 } },
      { ok: true, answer: { status: "reversed", refundedTotalCents: 1_000, commissionAmountCents: 0 } },
    ]);
    await expectLedgerConsistent(world);
  });

  it("refunds of one sale that are decided in one batch of calls are all refused if their commit fails, including those with nothing to write", async () => {
    own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
    const outcomes = await calls.together(amount(300, { refundId: "r" }), amount(300, { refundId: "r" }), amount(900));
    expect(outcomes.map((outcome) => !outcome.ok && outcome.refusal.code)).toEqual(Array(3).fill("unavailable"));
    own.proxy.heal();
    await calls.maintain();
    expect(await calls.refund("sold", "amount", { cents: 900 })).toMatchObject({ refundedTotalCents: 900 });
  });

  it("refunds of one sale in one batch of calls free the one_time commission, which the sale gets back when one of the refunds is canceled", async () => {
    await calls.together(
      amount(400, { refundId: "r" }),
      amount(600, { refundId: "s" }),
      calls.refundTask("sold", "cancel", { refundId: "s" }),
    );
    const sold = (await calls.commissions()).find(({ t }) => t === "sold");
    expect(sold).toMatchObject({ status: "pending", amount_cents: 120 });
    const sql = "select one_time_commission_id as id from customers where program_id = ? and customer_key = 'c1'";
    expect(await world.rows(sql, world.programId)).toEqual([{ id: sold?.id }]);
    await expectLedgerConsistent(world);
  });

  it("refunds of one sale in one batch of calls fail if they come after a refund that the database rejects, but not if they come before it", async () => {
    await world.write(
      "create trigger refuse_one before insert on refunds when new.reason = 'refuse' begin select raise(abort, 'no'); end",
    );
    const outcomes = await calls.together(amount(100), amount(100, { reason: "refuse" }), amount(100));
    await world.write("drop trigger refuse_one");
    expect(outcomes).toMatchObject([
      { ok: true, answer: { refundedTotalCents: 100 } },
      { ok: false, refusal: { code: "internal" } },
      { ok: false, refusal: { code: "unavailable" } },
    ]);
    expect(await calls.refund("sold", "amount", { cents: 100 })).toMatchObject({ refundedTotalCents: 200 });
    await expectLedgerConsistent(world);
  });
});
