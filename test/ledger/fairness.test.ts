import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../harness/world.ts";
import type { Task } from "../../src/ledger/task.ts";
import { recordClick } from "../../src/operations/track/record-click.ts";
import type { Read } from "../../src/store/statement.ts";
import { clickCall } from "../support/click-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

const now = daysAgo(0);
let busy: World;
let calm: World;
let calls: ReturnType<typeof callsOf>;
beforeEach(async () => {
  own.proxy.heal();
  busy = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "one_time" }] });
  calm = await createWorld(own.server.url, { partners: [{}, {}] });
  calls = callsOf(busy, own.proxy.url);
  await calls.sale("warm", now - day, { customerKey: "warm" });
  await Promise.all(submitAll(tasksOfCalm("warm ", 1)));
  own.proxy.resetCounts();
});

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const tasksOfCalm = (prefix: string, count: number) =>
  times(count, (i) =>
    calls.saleTask(`${prefix}${i}`, now, {
      key: { programId: calm.programId, vouched: true },
      customerKey: `${prefix}${i}`,
    }),
  );
const submitAll = (tasks: readonly Task[]) => tasks.map((task) => calls.ledger.submit(task).outcome);
const refusals = async (outcomes: readonly Task["outcome"][]) =>
  (await Promise.all(outcomes)).flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal]));

/** Submits calls of the busy program and, behind them, of the calm one; tells after how many commits all were done. */
async function commitsBeside(busyTasks: readonly Task[]) {
  const done = async (outcomes: readonly Task["outcome"][]) => ({
    refused: await refusals(outcomes),
    commits: own.proxy.counts.writes,
  });
  const ofBusy = done(submitAll(busyTasks));
  const ofCalm = done(submitAll(tasksOfCalm("calm", 100)));
  const [found, { refused, commits }] = await Promise.all([ofBusy, ofCalm]);
  return { refusals: [...found.refused, ...refused], commits: found.commits, calm: commits };
}

/** As many calls as are decided by one read: they come while another call is committed. */
async function together(...tasks: readonly Task[]) {
  // Calls are answered before the end of their round, which the next ones would join.
  await setImmediate();
  calls.ledger.submit(calls.saleTask(`ahead ${Math.random()}`, now, { customerKey: "ahead" }));
  return Promise.all(submitAll(tasks));
}

describe("sales of a calm program wait for few rounds, and nothing is refused,", () => {
  const few = 6;

  it("beside 300 sales of one customer, which are decided together", async () => {
    const found = await commitsBeside(times(300, (i) => calls.saleTask(`hot ${i}`, now - i, { customerKey: "guest" })));
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(found.commits).toBeLessThanOrEqual(10);
    await expectLedgerConsistent(busy);
  });

  it("beside 300 sales of one partner's customer, each with a click of its own", async () => {
    const alice = busy.partner;
    await calls.lead("key", [calls.click(alice, now - 3 * day)], "guest");
    await calls.sale("first", now - day, { customerKey: "guest" });
    own.proxy.resetCounts();
    const found = await commitsBeside(
      times(300, (i) =>
        calls.saleTask(`hot ${i}`, now, {
          customerKey: "guest",
          clicks: [calls.click(alice, now - i)],
          sentClickId: true,
        }),
      ),
    );
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(found.commits).toBeLessThanOrEqual(10);
    await expectLedgerConsistent(busy);
  });

  it("beside 100 partial refunds of one sale, which are decided together", async () => {
    await calls.lead("key", [calls.click(busy.partner, now - 3 * day)], "guest");
    await calls.sale("sold", now - day, { customerKey: "guest", amountCents: 99_999 });
    own.proxy.resetCounts();
    const found = await commitsBeside(
      times(100, (i) => calls.refundTask("sold", "amount", { cents: 999, ...(i % 2 === 0 && { refundId: `r${i}` }) })),
    );
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(found.commits).toBeLessThanOrEqual(8);
    const [commission] = await calls.commissions().then((all) => all.filter(({ t }) => t === "sold"));
    expect(commission).toMatchObject({ status: "pending", initial_cents: 20_000, amount_cents: 20 });
    await expectLedgerConsistent(busy);
  });

  it("beside 200 approvals", async () => {
    const bought = times(200, (i) =>
      calls.sale(`sold ${i}`, now, {
        customerKey: `c${i}`,
        clicks: [calls.click(busy.partner, now - day)],
        sentClickId: true,
      }),
    );
    const approvals = (await Promise.all(bought)).map(({ commissionId }) =>
      calls.ledger.changeTasks["decide-commission"](
        {
          kind: "decide-commission",
          operationId: commissionId.toString(16).padStart(16, "0"),
          at: now,
          programId: busy.programId,
          actorId: "someone",
          reason: undefined,
          commissionId,
          decision: "approved",
        },
        now,
      ),
    );
    own.proxy.resetCounts();
    const found = await commitsBeside(approvals);
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(found.commits).toBeLessThanOrEqual(8);
    expect(new Set((await calls.commissions()).map(({ status }) => status))).toEqual(new Set(["void", "approved"]));
  });

  it("beside 100 leads of one customer, which wait for one another", async () => {
    const found = await commitsBeside(
      times(100, (i) => calls.leadTask("key", [calls.click(busy.partner, now - day + i)], "guest")),
    );
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    await expectLedgerConsistent(busy);
  });

  it("beside 900 calls of as many programs that don't exist", async () => {
    const ghost = (i: number) => ({ programId: 900_000_000 + i, vouched: true });
    const ghosts = refusals(submitAll(times(900, (i) => calls.saleTask(`ghost ${i}`, now, { key: ghost(i) }))));
    expect(await refusals(submitAll(tasksOfCalm("calm", 100)))).toEqual([]);
    expect(own.proxy.counts.reads).toBeLessThanOrEqual(few);
    expect((await ghosts).map(({ code }) => code)).toEqual(times(900, () => "invalid_key"));
  });

  it("beside a call that can't be read for, which fails alone", async () => {
    const tooMuch: Read<unknown> = { kind: "read", sql: "select hex(zeroblob(8000000))", args: [], decode: String };
    const poison = calls.ledger.taskOf(
      {
        needs: () => [],
        gather: () => ({ tooMuch }),
        locks: () => ({ exclusive: [] }),
        decide: () => ({ kind: "commit", programId: busy.programId, answer: "read", writes: [] }),
      },
      { kind: "poison", operationId: "poison", at: now },
      now,
    );
    const [poisoned, ...others] = await together(poison, ...tasksOfCalm("beside", 20));
    expect(poisoned).toMatchObject({ refusal: { code: "internal" } });
    expect(others.map(({ ok }) => ok)).toEqual(times(20, () => true));
  });

  it("beside 1,100 clicks of another program, and of those that can't wait the Ledger keeps what it can", async () => {
    const click = () => calls.ledger.taskOf(recordClick, clickCall(busy, now), now);
    expect((await calls.ledger.submit(click()).outcome).ok).toBe(true);
    own.proxy.resetCounts();
    own.proxy.inject({ kind: "late", ms: 200 }, { only: "writes", times: 1 });
    const { spill } = calls.ledger;
    const clicks = times(1_100, click);
    const beside = commitsBeside(clicks);
    expect(spill.oldest(2_000)).toHaveLength(100);
    const sale = calls.sale("own", now, { customerKey: "own" }).then(() => own.proxy.counts.writes);
    const found = await beside;
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(await sale).toBeLessThanOrEqual(few);
    const sql = "select count(*) as n from clicks where program_id = ?";
    await expect.poll(async () => (await busy.rows(sql, busy.programId))[0]?.n).toBe(1_101);
  });
});

describe("of calls that are decided together", () => {
  const click = (daysBefore = 3) => calls.click(busy.partner, now - daysBefore * day);
  const shown = (...clicks: ReturnType<typeof click>[]) => ({ clicks, sentClickId: clicks.length > 0 });
  const outcomeOf = (transaction: string) => calls.commissions().then((all) => all.find(({ t }) => t === transaction));
  const ofCustomer = async (column: string) => {
    const sql = `select ${column} from customers where program_id = ? and customer_key = 'c1'`;
    return (await busy.rows(sql, busy.programId))[0]?.[column];
  };

  it("sales of nobody's customer come in any order, and the earliest is the first", async () => {
    await calls.lead("key", [], "c1");
    await together(...[5, 9, 7].map((days) => calls.saleTask(`${days}`, now - days * day)));
    expect(await ofCustomer("first_sale_at")).toBe(now - 9 * day);
  });

  it("a lead waits for the sales before it, and takes them along", async () => {
    await calls.sale("first", now - day);
    await together(calls.saleTask("a", now - day), calls.leadTask("key", [click()]), calls.saleTask("b", now));
    for (const t of ["first", "a", "b"]) expect(await outcomeOf(t)).toMatchObject({ partner_id: busy.partner.id });
    await expectLedgerConsistent(busy);
  });

  it("a browser's lead waits for none: the customer is known", async () => {
    await calls.sale("first", now - day);
    await together(calls.saleTask("a", now), calls.leadTask("browser", [click()]), calls.saleTask("b", now));
    for (const t of ["a", "b"]) expect(await outcomeOf(t)).toMatchObject({ status: "void", reason: "no_click" });
  });

  it("the first sale that shows a click takes those before it along", async () => {
    await calls.sale("first", now - day);
    await together(calls.saleTask("a", now - day), calls.saleTask("b", now, shown(click())), calls.saleTask("c", now));
    for (const t of ["first", "a", "b", "c"]) {
      expect(await outcomeOf(t)).toMatchObject({ partner_id: busy.partner.id });
    }
    await expectLedgerConsistent(busy);
  });

  it("one sale alone has the place that a one_time policy pays, and a refund gives it to one alone", async () => {
    await calls.lead("key", [click()]);
    await together(...["a", "b", "c"].map((t) => calls.saleTask(t, now)));
    const paid = async () => (await calls.commissions()).filter(({ status }) => status === "pending").map(({ t }) => t);
    expect(await paid()).toEqual(["a"]);
    await together(
      calls.saleTask("d", now),
      calls.refundTask("a", "rest"),
      calls.saleTask("e", now),
      calls.saleTask("f", now),
      calls.refundTask("b", "amount", { cents: 1 }),
    );
    expect(await paid()).toEqual(["e"]);
    await expectLedgerConsistent(busy);
  });

  it("a sale that is told twice counts once, with what is known of it by then", async () => {
    await calls.lead("key", [click()]);
    await calls.sale("a", now - day);
    const [again, , told] = await together(
      calls.saleTask("a", now, { customerKey: "somebody else" }),
      calls.refundTask("a", "amount", { cents: 500 }),
      calls.saleTask("a", now, { customerKey: "somebody else" }),
    );
    expect(again).toMatchObject({ refusal: { sale: { commission: { amountCents: 200 } } } });
    expect(told).toMatchObject({ refusal: { sale: { commission: { amountCents: 100 } } } });
  });

  it("a sale and its book are its own: the test book's sales of that key have no part in it", async () => {
    await calls.sale("first", now - day);
    await calls.sale("first", now - day, { isTest: true });
    await together(
      calls.saleTask("a", now, { isTest: true }),
      calls.leadTask("key", [click()]),
      calls.saleTask("a", now),
    );
    const ofBook =
      "select partner_id, is_test from sales where program_id = ? and transaction_id = 'a' order by is_test";
    expect(await busy.rows(ofBook, busy.programId)).toEqual([
      { partner_id: busy.partner.id, is_test: 0 },
      { partner_id: null, is_test: 1 },
    ]);
  });

  it("renewals of a subscription are its customer's, whom a sale before them may have changed", async () => {
    await calls.sale("first", now - day, { subscriptionId: "s" });
    await together(
      calls.saleTask("a", now - 1, { subscriptionId: "s", customerKey: "another" }),
      calls.saleTask("b", now, { subscriptionId: "s", customerKey: undefined }),
    );
    const sql = `select u.customer_key from sales s join customers u on u.id = s.customer_id
      where s.program_id = ? and s.transaction_id = 'b'`;
    expect(await busy.rows(sql, busy.programId)).toEqual([{ customer_key: "another" }]);
  });

  const approval = (commissionId: number) =>
    calls.ledger.changeTasks["decide-commission"](
      {
        ...{ kind: "decide-commission", operationId: `${commissionId}`, at: now, programId: busy.programId },
        ...{ actorId: "someone", reason: undefined, commissionId, decision: "approved" },
      },
      now,
    );

  it("an approval waits for a refund of its sale", async () => {
    await calls.lead("browser", [click()]);
    const sold = await calls.sale("a", now - day);
    const [, refused] = await together(calls.refundTask("a", "rest"), approval(sold.commissionId));
    expect(refused).toMatchObject({ ok: false, refusal: { code: "state_conflict" } });
    await expectLedgerConsistent(busy);
  });

  it("an approval that confirms a browser's customer confirms the sales behind it", async () => {
    await calls.lead("browser", [click()]);
    const sold = await calls.sale("a", now - day);
    await together(calls.saleTask("b", now), approval(sold.commissionId), calls.saleTask("c", now));
    for (const t of ["a", "b", "c"]) expect(await outcomeOf(t)).toMatchObject({ is_unconfirmed: 0 });
    await expectLedgerConsistent(busy);
  });

  it("none passes one that waits for two locks, though the one that it needs is free", async () => {
    own.proxy.inject({ kind: "late", ms: 300 }, { only: "writes", after: 1, times: 1 });
    const first = together(calls.saleTask("a", now), calls.saleTask("waits", now, { subscriptionId: "s" }));
    await expect.poll(() => own.proxy.counts.writes).toBe(2);
    await calls.sale("later", now, { subscriptionId: "s", customerKey: "another" });
    await first;
    const sql = "select transaction_id as t from sales where program_id = ? and subscription_id = 's' order by id";
    expect(await busy.rows(sql, busy.programId)).toEqual([{ t: "waits" }, { t: "later" }]);
  });
});

describe("refunds of one sale that are decided together", () => {
  beforeEach(async () => {
    await calls.lead("key", [calls.click(busy.partner, now - 3 * day)]);
    await calls.sale("sold", now - day);
  });
  const amount = (cents: number, more = {}) => calls.refundTask("sold", "amount", { cents, ...more });

  it("each count on what those before it left; what they can't take is refused once they are durable", async () => {
    const outcomes = await together(
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
    await expectLedgerConsistent(busy);
  });

  it("are all refused where their commit fails, also those that would have written nothing", async () => {
    own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
    const outcomes = await together(amount(300, { refundId: "r" }), amount(300, { refundId: "r" }), amount(900));
    expect(outcomes.map((outcome) => !outcome.ok && outcome.refusal.code)).toEqual(times(3, () => "unavailable"));
  });

  it("give the one_time place back, and take it again", async () => {
    await together(
      amount(400, { refundId: "r" }),
      amount(600, { refundId: "s" }),
      calls.refundTask("sold", "cancel", { refundId: "s" }),
    );
    const sold = (await calls.commissions()).find(({ t }) => t === "sold");
    expect(sold).toMatchObject({ status: "pending", amount_cents: 120 });
    const sql = "select one_time_commission_id as id from customers where program_id = ? and customer_key = 'c1'";
    expect(await busy.rows(sql, busy.programId)).toEqual([{ id: sold?.id }]);
    await expectLedgerConsistent(busy);
  });

  it("fail with the one that the database refuses, and then only those behind it", async () => {
    await busy.write(
      "create trigger refuse_one before insert on refunds when new.reason = 'refuse' begin select raise(abort, 'no'); end",
    );
    const outcomes = await together(amount(100), amount(100, { reason: "refuse" }), amount(100));
    await busy.write("drop trigger refuse_one");
    expect(outcomes).toMatchObject([
      { ok: true, answer: { refundedTotalCents: 100 } },
      { ok: false, refusal: { code: "internal" } },
      { ok: false, refusal: { code: "unavailable" } },
    ]);
    expect(await calls.refund("sold", "amount", { cents: 100 })).toMatchObject({ refundedTotalCents: 200 });
    await expectLedgerConsistent(busy);
  });
});
