import { beforeEach, describe, expect, it } from "vitest";
import type { Task } from "#engine/task.ts";
import { recordClick } from "#operations/track/record-click.ts";
import type { Read } from "#store/statement.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
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

/** Submits calls of the busy program, followed by calls of the calm one. Counts the commits until all are answered. */
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

describe("a quiet program next to a busy one", () => {
  const few = 6;

  it("a quiet program gets its sales decided within a few batches of calls during 300 sales of one customer of a busy program", {
    tags: "soak",
  }, async () => {
    const found = await commitsBeside(times(300, (i) => calls.saleTask(`hot ${i}`, now - i, { customerKey: "guest" })));
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    expect(found.commits).toBeLessThanOrEqual(10);
    await expectLedgerConsistent(busy);
  });

  it("a quiet program gets its sales decided within a few batches of calls during 300 sales of a busy program's attributed customer with different clicks", {
    tags: "soak",
  }, async () => {
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

  it("a quiet program gets its sales decided within a few batches of calls during 100 partial refunds of one sale of a busy program", async () => {
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

  it("a quiet program gets its sales decided within a few batches of calls during 200 approvals of a busy program", {
    tags: "soak",
  }, async () => {
    const bought = times(200, (i) =>
      calls.sale(`sold ${i}`, now, {
        customerKey: `c${i}`,
        clicks: [calls.click(busy.partner, now - day)],
        sentClickId: true,
      }),
    );
    const approvals = (await Promise.all(bought)).map(({ commissionId }) =>
      calls.ledger.changeTask(
        {
          kind: "decide-commissions",
          operationId: commissionId.toString(16).padStart(16, "0"),
          at: now,
          programId: busy.programId,
          actorId: "someone",
          ...{ reason: null, partnerNote: null },
          commissionIds: [commissionId],
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

  it("a quiet program gets its sales decided within a few batches of calls during 100 leads of one customer of a busy program, which wait for one another", {
    tags: "soak",
  }, async () => {
    const found = await commitsBeside(
      times(100, (i) => calls.leadTask("key", [calls.click(busy.partner, now - day + i)], "guest")),
    );
    expect(found.refusals).toEqual([]);
    expect(found.calm).toBeLessThanOrEqual(few);
    await expectLedgerConsistent(busy);
  });

  it("a quiet program gets its sales decided within a few batches of calls during 900 calls for programs that don't exist", {
    tags: "soak",
  }, async () => {
    const ghost = (i: number) => ({ programId: 900_000_000 + i, vouched: true }) as const;
    const ghosts = refusals(submitAll(times(900, (i) => calls.saleTask(`ghost ${i}`, now, { key: ghost(i) }))));
    expect(await refusals(submitAll(tasksOfCalm("calm", 100)))).toEqual([]);
    expect(own.proxy.counts.reads).toBeLessThanOrEqual(few);
    expect((await ghosts).map(({ code }) => code)).toEqual(times(900, () => "invalid_key"));
  });

  it("a quiet program gets its sales decided in one batch with a busy program's call whose read fails, and only this call is refused", async () => {
    const tooMuch: Read<unknown> = { kind: "read", sql: "select hex(zeroblob(8000000))", args: [], decode: String };
    const poison = calls.ledger.taskOf(
      {
        kind: "poison",
        lane: "control",
        needs: () => [],
        gather: () => ({ tooMuch }),
        locks: () => ({ exclusive: [] }),
        decide: () => ({ kind: "commit", programId: busy.programId, answer: "read", writes: [] }),
      },
      { kind: "poison", operationId: "poison", at: now },
      now,
    );
    const [poisoned, ...others] = await calls.together(poison, ...tasksOfCalm("beside", 20));
    expect(poisoned).toMatchObject({ refusal: { code: "internal" } });
    expect(others.map(({ ok }) => ok)).toEqual(times(20, () => true));
  });

  it("a quiet program gets its sales decided within a few batches of calls during 1,100 clicks of a busy program, and clicks that can't wait are spilled to the Ledger's own storage", {
    tags: "soak",
  }, async () => {
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
