import { beforeEach, expect, it } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { minClickRetentionDays } from "#domain/retention.ts";
import { maxStepsPerRun } from "#ledger/retention.ts";
import { maxRowsPerStep } from "#ledger/retention-steps.ts";
import { removal } from "#store/retention.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type Partner, type World } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

/** The number of click ids in each statement that removes clicks. */
let removals: number[];
let writes = 0;
const own = isolatedDatabase({
  onRequest(_path, body, isWrite) {
    if (!isWrite) return;
    writes += 1;
    const { requests } = JSON.parse(body.toString());
    for (const { batch } of requests) {
      for (const { stmt } of batch?.steps ?? []) {
        if (/^delete from "clicks"/.test(stmt.sql)) removals.push(JSON.parse(stmt.args[0].value).length);
      }
    }
  },
});

const oldest = minClickRetentionDays + 5;
const settled = "leads sales customers customer_clicks commissions ledger_entries partner_balances daily_counts";

let world: World;
let alice: Partner;
let bob: Partner;
let calls: ReturnType<typeof callsOf>;

beforeEach(async () => {
  removals = [];
  world = await createWorld(own.server.url, { partners: [{}, {}] });
  [alice, bob] = world.partners as [Partner, Partner];
  calls = callsOf(world, own.proxy.url);
});

let rowId = 0;
interface StoredClick {
  readonly partner?: Partner;
  readonly clickId?: string;
  readonly ageDays?: number;
  readonly visitor?: string | null;
  readonly isTest?: boolean;
  readonly isBot?: boolean;
  readonly eventId?: string | null;
  readonly createdAt?: number;
}

/** Inserts clicks that were recorded days ago. Returns their ids. */
async function store(...clicks: readonly StoredClick[]): Promise<string[]> {
  const rows = clicks.map((click) => {
    rowId += 1;
    const occurredAt = daysAgo(click.ageDays ?? oldest);
    return {
      ...{
        id: world.programId * 10_000 + rowId,
        partner: alice,
        clickId: `click ${rowId}`,
        visitor: null,
        isTest: false,
      },
      ...{ isBot: false, eventId: null, createdAt: occurredAt, occurredAt },
      ...click,
    };
  });
  await world.write(
    ...rows.map((row) => ({
      sql: `insert into clicks (id, program_id, is_test, click_id, link_id, partner_id, event_id, source, is_bot, is_prefetch,
        visitor, occurred_at, created_at, day) values (?, ?, ?, ?, ?, ?, ?, 'browser', ?, 0, ?, ?, ?, ?)`,
      args: [
        ...[row.id, world.programId, Number(row.isTest), row.clickId, row.partner.linkId, row.partner.id, row.eventId],
        ...[Number(row.isBot), row.visitor, row.occurredAt, row.createdAt, dateUtc(row.occurredAt)],
      ],
    })),
  );
  return rows.map(({ clickId }) => clickId);
}

const storeMany = (count: number) =>
  world.write({
    sql: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
      insert into clicks (id, program_id, is_test, click_id, link_id, partner_id, source, is_bot, is_prefetch, visitor,
        occurred_at, created_at, day)
      select ?2 * 10000 + 1000 + i, ?2, 0, 'many ' || ?2 || ' ' || i, ?3, ?4, 'browser', 0, 0, 'v' || i % 7, ?5 + i / 9, ?5 + 1000, ?6 from n`,
    args: [count, world.programId, alice.linkId, alice.id, daysAgo(oldest), dateUtc(daysAgo(oldest))],
  });

const left = async () =>
  (await world.rows("select click_id from clicks where program_id = ? order by id", world.programId)).map(
    ({ click_id }) => click_id,
  );
const count = async () => (await left()).length;
const retention = async () =>
  (await world.rows("select * from program_retention where program_id = ?", world.programId))[0];
const makeDue = () =>
  world.write({ sql: "update program_retention set due_at = 0 where program_id = ?", args: [world.programId] });
const isDue = async () => Number((await retention())?.due_at) <= daysAgo(0);

/** Runs maintenance until the program has no more clicks to check. */
async function clean({ maintain } = calls): Promise<void> {
  await makeDue();
  for (let runs = 0; (await isDue()) && runs < 20; runs += 1) await maintain();
  expect(await isDue()).toBe(false);
}

async function books() {
  const ofCustomers = "where customer_id in (select id from customers where program_id = ?)";
  const each = settled.split(" ").map(async (table) => {
    const where = table === "customer_clicks" ? ofCustomers : "where program_id = ?";
    return [table, await world.rows(`select * from ${table} ${where} order by 1, 2, 3, 4, 5`, world.programId)];
  });
  return Object.fromEntries(await Promise.all(each));
}

it("retention removes old live clicks that attribute nothing, and changes no reported numbers", async () => {
  const shown = calls.click(alice, daysAgo(oldest));
  const named = calls.click(bob, daysAgo(oldest));
  await calls.lead("key", [shown, calls.click(bob, daysAgo(3))]);
  await calls.lead("browser", [named], null);
  await calls.sale("t", daysAgo(0));
  const young = minClickRetentionDays - 1;
  const kept = await store(
    { clickId: shown.clickId, visitor: "a" },
    { clickId: named.clickId, partner: bob },
    { isTest: true, visitor: "t" },
    { ageDays: young, visitor: "y" },
  );
  await store(
    ...[{ visitor: "a" }, { visitor: "b" }, { visitor: "b" }, { visitor: "b", partner: bob }, {}, {}],
    ...[
      { isBot: true, visitor: "b" },
      { ageDays: oldest + 1, visitor: "b" },
    ],
  );
  const before = await books();

  await clean();
  expect(await left()).toEqual(kept);
  expect(await books()).toEqual(before);
  const removed = await world.rows(
    "select day, partner_id, clicks, unique_clicks, uncounted_clicks from removed_clicks where program_id = ? order by 1, 2",
    world.programId,
  );
  const counts = (ageDays: number, { id }: Partner, clicks: number, unique: number, uncounted: number) => ({
    ...{ day: dateUtc(daysAgo(ageDays)), partner_id: id, clicks, unique_clicks: unique, uncounted_clicks: uncounted },
  });
  const ofDay = [counts(oldest, alice, 5, 3, 1), counts(oldest, bob, 1, 1, 0)];
  expect(removed).toEqual([
    counts(oldest + 1, alice, 1, 1, 0),
    ...ofDay.toSorted((a, b) => a.partner_id - b.partner_id),
  ]);
  expect(await world.audit()).toEqual([]);
});

it.each(sampled(["clicks", "unique_clicks", "uncounted_clicks"]))(
  "the audit reports a wrong count of removed %s",
  async (column) => {
    await store({ visitor: "a" }, { isBot: true });
    await clean();
    expect(await world.audit()).toEqual([]);
    await world.write({
      sql: `update removed_clicks set ${column} = 0 where program_id = ?`,
      args: [world.programId],
    });
    world.forged.add("daily counts that don't match the clicks");
    expect((await world.audit()).map(({ broken }) => broken)).toEqual([...world.forged]);
  },
);

it("retention continues after a restart, in steps with a limited number of rows", async () => {
  await storeMany(maxRowsPerStep * (maxStepsPerRun + 1) + 1);
  const before = await books();
  await makeDue();
  await calls.maintain();
  expect(removals).toEqual(Array(maxStepsPerRun).fill(maxRowsPerStep));
  expect(await count()).toBe(maxRowsPerStep + 1);
  expect(await books()).toEqual(before);
  expect(await world.audit()).toEqual([]);

  await callsOf(world, own.proxy.url).maintain();
  expect(removals).toEqual([...Array(maxStepsPerRun + 1).fill(maxRowsPerStep), 1]);
  expect(await count()).toBe(0);
  expect(await books()).toEqual(before);
  expect(await isDue()).toBe(false);
});

it("retention checks each kept click once, also one that is recorded late", async () => {
  const shown = calls.click(alice, daysAgo(oldest));
  await calls.lead("key", [shown]);
  await store({ clickId: shown.clickId });
  await clean();
  expect(await retention()).toMatchObject({ click_at: daysAgo(oldest) });
  const [today] = await store({ ageDays: oldest + 9, createdAt: daysAgo(0) });
  await store({ ageDays: oldest + 9, createdAt: daysAgo(2) });
  expect(await retention()).toMatchObject({ click_at: daysAgo(oldest + 9), late_clicks: 2 });

  await clean();
  expect(await left()).toEqual([shown.clickId, today, expect.any(String)]);
  await world.write({
    sql: "update clicks set created_at = ? where click_id = ?",
    args: [daysAgo(2), String(today)],
  });
  await clean();
  expect(await left()).toEqual([shown.clickId]);
});

it("retention keeps a click that a customer has used since retention checked it", async () => {
  const { programId } = world;
  const shown = calls.click(alice, daysAgo(oldest));
  await store({ clickId: shown.clickId }, {});
  const ids = (await world.rows("select id from clicks where program_id = ?", programId)).map(({ id }) => id);
  await calls.lead("key", [shown]);
  await databaseAt(own.server.url).write([removal.removeClicks({ programId, ids: JSON.stringify(ids) })]);
  expect(await left()).toEqual([shown.clickId]);
});

it("retention doesn't change programs that are being migrated to another shard", async () => {
  await store({});
  await makeDue();
  const place = (state: string, leaveBy: number | null) =>
    world.write({
      sql: "update programs set place = ?, leave_by = ? where id = ?",
      args: [state, leaveBy, world.programId],
    });
  await place("leaving", daysAgo(-1));
  await calls.maintain();
  expect(await count()).toBe(1);
  await place("here", null);
  await clean();
  expect(await count()).toBe(0);
});

it("retention removes event ids after a day", async () => {
  await store(
    { ageDays: 2, eventId: "old" },
    { ageDays: 2, eventId: "tested", isTest: true },
    { ageDays: 0.5, eventId: "new" },
    { eventId: "gone" },
  );
  await world.write({
    sql: `insert into click_event_ids select program_id, is_test, link_id, event_id, click_id, created_at from clicks
      where program_id = ?`,
    args: [world.programId],
  });
  await clean();
  const events = await world.rows("select event_id from click_event_ids where program_id = ?", world.programId);
  expect(events).toEqual([{ event_id: "new" }]);
  expect(await count()).toBe(3);
  expect(await world.audit()).toEqual([]);
});

it("retention writes nothing while nothing is due", async () => {
  await store({});
  await calls.maintain();
  writes = 0;
  await calls.maintain();
  expect(writes).toBe(0);
  expect(await count()).toBe(1);
});
