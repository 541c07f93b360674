import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import type { Task } from "#engine/task.ts";
import { recordClick } from "#operations/track/record-click.ts";
import type { Database } from "#store/database.ts";
import type { Statement } from "#store/statement.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { oneOfEach } from "../support/breadth.ts";
import { clickCall } from "../support/click-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { queryPlans } from "../support/query-plans.ts";

interface Sent {
  readonly sql: string;
  readonly args?: readonly unknown[];
}

interface Pipeline {
  readonly requests: readonly { readonly batch?: { readonly steps: readonly { readonly stmt: Sent }[] } }[];
}

/** For each batch of writes: the statements, shortened to their verb and table. */
let batches: string[][];
let ofMany: Map<string, Statement>;
const own = isolatedDatabase({
  onRequest(_path, body, isWrite) {
    const { requests } = JSON.parse(body.toString()) as Pipeline;
    const all = requests.flatMap(({ batch }) => batch?.steps.map(({ stmt }) => stmt) ?? []);
    for (const { sql, args = [] } of all)
      if (sql.includes("json_each(?)")) ofMany.set(sql, { sql, args: args.map(() => null) });
    if (isWrite) batches.push(all.flatMap(({ sql }) => /(?:insert into|update|join) "\w+"/.exec(sql) ?? []));
  },
});
const { scansIn } = queryPlans(() => own.server.url);

/** While sales arrive, a round includes up to this many clicks or browser leads. */
const count = 25;
const now = daysAgo(0);
let world: World;
let calls: ReturnType<typeof callsOf>;
/** Ids of the attributed commissions. */
let ids: number[];

beforeEach(async () => {
  batches = [];
  ofMany = new Map();
  world = await createWorld(own.server.url, { policies: [{ scope: "one_time" }] });
  calls = callsOf(world, own.proxy.url);
  await calls.sale("warm", now - day, { customerKey: "warm" });
});

const times = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const click = (i: number) => calls.click(world.partner, now - 3 * day - i);
const shown = (i: number) => ({ customerKey: `u${i}`, clicks: [click(i)], sentClickId: true });
const clickTask = (i: number) => {
  const call = clickCall(world, now, { eventId: `e${i}` });
  return calls.ledger.taskOf(recordClick, call, now);
};
const browserLead = (i: number) => calls.leadTask("browser", [click(i)], `u${i}`);
const keyedLead = (i: number) => calls.leadTask("key", [click(i)], `u${i}`);
const organicLead = (i: number) => calls.leadTask("key", [], `u${i}`);
const sale = (i: number) => calls.saleTask(`t${i}`, now, { customerKey: `u${i}` });
const secondSale = (i: number) => calls.saleTask(`s${i}`, now, { customerKey: `u${i}` });
const saleByClick = (i: number) => calls.saleTask(`t${i}`, now, shown(i));
const earlierSale = (i: number) => calls.saleTask(`s${i}`, now - day, { customerKey: `u${i}` });
const payment = (i: number) =>
  calls.saleTask(`t${i}`, now, { customerKey: `u${i}`, subscriptionId: `s${i}`, isRecurring: "auto" });
const refundNamed = (i: number) => calls.refundTask(`t${i}`, "amount", { refundId: `r${i}`, cents: 100 });
const cancel = (i: number) => calls.refundTask(`t${i}`, "cancel", { refundId: `r${i}` });
const member = () => ({
  operationId: randomBytes(8).toString("hex"),
  at: now,
  programId: world.programId,
  actorId: "a",
  reason: "r",
  partnerNote: null,
});
const decision = (i: number) => {
  const commissionId = ids[i] ?? 0;
  return calls.ledger.changeTask(
    { ...member(), kind: "decide-commissions", commissionIds: [commissionId], decision: "approved" },
    now,
  );
};
const adjustment = (i: number) => {
  const money = { partnerId: world.partner.id, amountCents: 100, currency: "EUR", reference: `a${i}` };
  return calls.ledger.changeTask({ ...member(), kind: "create-adjustment", ...money }, now);
};
const refund = (i: number) => calls.refundTask(`t${i}`, "amount", { cents: 100 });
const refundOfAll = (i: number) => calls.refundTask(`t${i}`, "rest");

type MakeTask = (i: number) => Task;
const ofSale = ['insert into "sales"', 'insert into "commissions"', 'insert into "ledger_entries"'];
const ofNewCustomer = ['insert into "customers"', 'insert into "customer_clicks"'];

type Kind = readonly [what: string, make: MakeTask, before: readonly MakeTask[], expected: readonly string[]];
const kinds: readonly Kind[] = [
  ["clicks", clickTask, [], ['insert into "click_event_ids"', 'insert into "clicks"', 'join "click_event_ids"']],
  ["leads of new customers", keyedLead, [], [...ofNewCustomer, 'insert into "leads"']],
  ["leads of a browser", browserLead, [], [...ofNewCustomer, 'insert into "leads"']],
  [
    "leads that confirm those of a browser",
    keyedLead,
    [browserLead],
    ['update "customers"', 'insert into "customer_clicks"', 'update "leads"', 'update "leads"'],
  ],
  ["sales of new customers", saleByClick, [], [...ofNewCustomer, ...ofSale]],
  ["first sales of known customers", sale, [keyedLead], ['update "customers"', ...ofSale]],
  ["first sales of customers without a partner", sale, [organicLead], ['update "customers"', ...ofSale.slice(0, 2)]],
  [
    "sales that confirm the lead of a browser",
    saleByClick,
    [browserLead],
    ['update "customers"', 'insert into "customer_clicks"', 'update "leads"', 'update "leads"', ...ofSale],
  ],
  ["first payments of subscriptions", payment, [keyedLead], ['update "customers"', ...ofSale]],
  ["later sales", secondSale, [sale], ofSale.slice(0, 2)],
  ["earlier sales", earlierSale, [sale], ['update "customers"', ...ofSale.slice(0, 2)]],
  [
    "leads that confirm earlier sales",
    keyedLead,
    [browserLead, sale],
    ['update "customers"', 'insert into "customer_clicks"', 'update "leads"', 'update "leads"', 'update "commissions"'],
  ],
  [
    "leads of a partner after unattributed sales",
    keyedLead,
    [organicLead, sale],
    [
      'update "customers"',
      'insert into "customer_clicks"',
      'update "leads"',
      'update "leads"',
      'update "leads"',
      'update "sales"',
      'update "commissions"',
      'insert into "ledger_entries"',
    ],
  ],
  [
    "decisions",
    decision,
    [saleByClick],
    ['insert into "notes"', 'update "commissions"', 'insert into "audit_entries"'],
  ],
  [
    "adjustments",
    adjustment,
    [],
    ['insert into "notes"', 'insert into "adjustments"', 'insert into "ledger_entries"', 'insert into "audit_entries"'],
  ],
  ["refunds", refund, [saleByClick], ['insert into "refunds"', 'update "sales"', 'insert into "ledger_entries"']],
  [
    "canceled refunds",
    cancel,
    [saleByClick, refundNamed],
    ['insert into "refunds"', 'update "refunds"', 'update "sales"', 'insert into "ledger_entries"'],
  ],
  [
    "refunds of all sales that a one_time policy paid",
    refundOfAll,
    [saleByClick],
    [
      'insert into "refunds"',
      'update "sales"',
      'update "commissions"',
      'insert into "ledger_entries"',
      'update "customers"',
    ],
  ],
];

it("25 sales in one batch of calls find earlier payments by one statement", async () => {
  await calls.together(...times(payment));
  const ofPayments = [...ofMany.keys()].filter((sql) => sql.includes('s.occurred_at <= wanted."occurredAt"'));
  expect(ofPayments).toHaveLength(1);
});

// One call of each kind. The kind is the first row that the call inserts or updates.
it.each(oneOfEach(kinds, ([, , , [first]]) => first))(
  "25 %s in one batch of calls take as many statements as one",
  async (_what, make, before, expected) => {
    for (const each of before) await calls.together(...times(each));
    ids = (await calls.commissions()).flatMap(({ id, partner_id }) => (partner_id === null ? [] : [Number(id)]));
    batches = [];
    ofMany = new Map();
    const outcomes = await calls.together(...times(make));
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    const [, ofRound, ...others] = batches;
    expect(others).toEqual([]);
    expect(ofRound).toEqual(['insert into "ledger_writers"', ...expected]);
    expect(ofMany.size).toBeGreaterThan(0);
    expect(await scansIn([...ofMany.values()])).toEqual([]);
    await expectLedgerConsistent(world);
  },
);

it.each(oneOfEach(kinds, ([, , , [first]]) => first))(
  "the SQL texts of %s are the same for any values and number of calls, so that a local database reuses compiled statements",
  async (_what, make, before) => {
    const texts = new Set<string>();
    calls = callsOf(world, ledgerOn(noting(texts), { now: () => now, sleep: instantSleep, random: () => 0.5 }));
    for (const each of before) await calls.together(...times(each));
    ids = (await calls.commissions()).flatMap(({ id, partner_id }) => (partner_id === null ? [] : [Number(id)]));
    await calls.together(...times(make).slice(0, 3));
    const known = [...texts];
    const [outcome] = await calls.together(make(3));
    expect(outcome).toMatchObject({ ok: true });
    expect([...texts]).toEqual(known);
  },
);

function noting(texts: Set<string>): Database {
  const real = databaseAt(own.server.url);
  const asked = (mode: "read" | "write") => (statements: readonly Statement[]) => {
    for (const { sql } of statements) texts.add(sql);
    return real[mode](statements);
  };
  return { read: asked("read"), write: asked("write"), roundTrips: 0 };
}
