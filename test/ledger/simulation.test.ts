import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noTerms, type Policy } from "#domain/commission.ts";
import { type SimulatedRow, Simulation } from "#domain/simulation.ts";
import { type Database, readBatch } from "#store/database.ts";
import { currentBeneath, latestPolicy, policyOfVersion, versionsBeneath } from "#store/policies.ts";
import { listAttributedSales, readSalesToSimulate } from "#store/reports/simulated-sales.ts";
import type { Statement } from "#store/statement.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { longestMs } from "../support/breadth.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { dayOf } from "../support/simulation-fixture.ts";
import { intervene, intervention } from "./interventions.ts";
import { history, scope } from "./serial-history.ts";
import { SerialProgram } from "./serial-program.ts";

const numRuns = Number(process.env.SERIAL_RUNS ?? 2);
const runs = { numRuns, endOnFailure: true };
const options = { timeout: Math.max(longestMs, numRuns * 20_000) };

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
const days = { from: dayOf(daysAgo(100)), to: dayOf(daysAgo(0, day)) };
const database = () => databaseAt(server.url);

async function simulated({ programId }: World, policy: Policy, present: readonly Policy[] = []) {
  const simulation = new Simulation(policy, [], { present });
  const listed = await listAttributedSales(database(), { programId, days, limit: 10_000 }, undefined);
  const ids = listed.map(({ id }) => id).sort((a, b) => a - b);
  for (const sale of await readSalesToSimulate(database(), ids)) simulation.add(sale);
  return simulation.rows;
}

/** Tiers whose thresholds the history reaches. Objects need a prototype, because Drizzle can't insert others. */
const tiers = fc.record(
  {
    metric: fc.constantFrom("sales" as const, "revenue" as const),
    period: fc.constantFrom("month" as const, "year" as const),
    steps: fc.constant([{ threshold: 2, rateBps: 3_000 }]),
  },
  { noNullPrototype: true },
);

test(
  "a simulation of the current policies gives the same commissions as the recorded calls, for any history of sales",
  options,
  async () => {
    const property = fc.asyncProperty(
      history,
      fc.array(intervention, { minLength: 3, maxLength: 12 }),
      scope,
      fc.record({ hasRules: fc.boolean(), isInGroup: fc.boolean(), tiers }),
      async (bursts, interventions, scope, beginning) => {
        const ledger = ledgerOn(database(), clock);
        const program = await SerialProgram.open(server.url, ledger, scope, beginning);
        let index = 0;
        for (const [i, { calls }] of bursts.entries()) {
          const tasks = calls
            // Excludes changes of policies and groups. All calls have the same instant, so a sale could be decided before
            // or after such a change.
            .filter(({ call }) => call.kind !== "policy" && call.kind !== "group")
            .map(({ call }) => program.taskOf(call, index++, program.knows(call)));
          await Promise.all(tasks.map((task) => ledger.submit(task).outcome));
          await ledger.loop.maintain();
          const made = interventions[i];
          if (made !== undefined)
            await intervene(program, ledger, made, {
              operationId: `${program.world.programId}-${i}`,
              database: database(),
            });
        }
        expect(ledger.faults).toEqual([]);
        const { world } = program;
        const versions = await world.rows(
          "select version from commission_policies where program_id = ?",
          world.programId,
        );
        for (const { version } of versions) {
          const asked = policyOfVersion({ programId: world.programId, version: Number(version) });
          const { policy } = await readBatch(database(), { policy: asked });
          if (policy === undefined) throw new Error("a version that was listed is there");
          const rows = await simulated(world, policy);
          expect(rows.map(({ wouldBeCents }) => wouldBeCents)).toEqual(rows.map(({ wasCents }) => wasCents));
        }
      },
    );
    await fc.assert(property, runs);
  },
);

test("no statement of a simulation scans a table of sales or policies", async () => {
  const { programId, partner, rows } = await createWorld(server.url);
  const sent: Statement[] = [];
  const noting: Database = {
    ...database(),
    read: async (statements) => {
      sent.push(...statements);
      return statements.map(() => []);
    },
  };
  await listAttributedSales(noting, { programId, days, limit: 10 }, undefined);
  await readSalesToSimulate(noting, [1]);
  await readBatch(noting, {
    beneath: versionsBeneath({ programId, partnerId: partner.id }),
    current: currentBeneath({ programId, partnerId: partner.id }),
    latest: latestPolicy({ programId, partnerId: partner.id, groupId: null }),
  });
  await readBatch(noting, { version: policyOfVersion({ programId, version: 1 }) });
  for (const { sql, args } of sent) {
    const plan = await rows(`explain query plan ${sql}`, ...args.map((arg) => (typeof arg === "boolean" ? +arg : arg)));
    const steps = plan.map(({ detail }) => String(detail));
    expect(steps.filter((step) => step.startsWith("SCAN") && !step.startsWith("SCAN json_each"))).toEqual([]);
  }
  expect(sent).toHaveLength(6);
});

const terms = fc.record({
  rateBps: fc.constantFrom(1_000, 3_333),
  scope,
  minSaleCents: fc.constantFrom(null, null, 500),
  maxCommissionCents: fc.constantFrom(null, null, 400),
  rules: fc.constantFrom(
    null,
    [{ when: { productIds: ["gift"] }, excluded: true as const }],
    [
      { when: { isFirst: true }, rateBps: 5_000 },
      { when: { withinMonths: 1 }, amountCents: 123 },
    ],
    [
      { when: { isRecurring: true, isFirst: false }, excluded: true as const },
      { when: { interval: "annual" as const }, rateBps: 1 },
    ],
  ),
});
type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("sale" as const),
      customer: fc.nat(2),
      amountCents: fc.constantFrom(3, 499, 1_005, 99_999),
      productId: fc.constantFrom(null, "gift"),
      isRecurring: fc.constantFrom(false, false, true),
      subscriptionInterval: fc.constantFrom(null, "annual" as const),
      daysAgo: fc.constantFrom(0, 2, 20, 45, 80),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      nth: fc.nat(9),
      cents: fc.constantFrom(null, null, 1, 335),
    }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const policyOf = ({ rules, ...given }: Terms) => ({
  ...noTerms,
  ...given,
  type: "percent" as const,
  currency: "EUR",
  durationMonths: given.scope === "recurring" ? 1 : null,
  holdDays: 15,
  rules,
});

/** Sends a history to a new program with this policy. */
async function play(events: readonly Event[], policy: Terms) {
  const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };
  const world = await createWorld(server.url, {
    ...{ partners: [{}, {}], policies: [{ ...policyOf(policy), ...longAgo }] },
    program: { attributionWindowDays: 365 },
  });
  const calls = callsOf(world, server.url);
  for (const n of [0, 1, 2]) {
    await calls.lead("key", [calls.click(world.partners[n % 2] ?? world.partner, daysAgo(90))], `c${n}`, {
      occurredAt: daysAgo(90),
    });
  }
  const { ledger } = calls;
  const sold: string[] = [];
  for (const [i, event] of events.entries()) {
    // Gives each call a different time.
    const at = now + i;
    if (event.kind === "sale") {
      const { kind, customer, daysAgo: days, ...sale } = event;
      sold.push(`t${i}`);
      await ledger.submit(calls.saleTask(`t${i}`, daysAgo(days), { ...sale, at, customerKey: `c${customer}` })).outcome;
    } else {
      const { cents, nth } = event;
      const refund = calls.refundTask(sold[nth] ?? "t", cents === null ? "rest" : "amount", { at, cents });
      await ledger.submit(refund).outcome;
    }
  }
  expect(ledger.faults).toEqual([]);
  return world;
}

/** Replaces partner ids by indexes, because two programs have different ids. */
const byPartner = (
  { partners }: World,
  rows: readonly SimulatedRow[],
  field: "wasCents" | "todayCents" | "wouldBeCents",
) => rows.map((row) => `${row.month} ${partners.findIndex(({ id }) => id === row.partnerId)} ${row[field]}`).sort();

test(
  "a simulation of another policy gives the same commissions as recording the same calls under that policy",
  options,
  async () => {
    const property = fc.asyncProperty(
      fc.array(event, { minLength: 4, maxLength: 14 }),
      terms,
      terms,
      async (events, before, after) => {
        const ofProgram = { id: 0, version: 0, partnerId: null, effectiveFrom: 0 };
        const policy = { ...policyOf(after), ...ofProgram };
        const present = [{ ...policyOf(before), ...ofProgram }];
        const playedBefore = await play(events, before);
        const playedAfter = await play(events, after);
        const wouldBe = await simulated(playedBefore, policy, present);
        const earned = await simulated(playedAfter, policy, present);
        expect(byPartner(playedBefore, wouldBe, "wouldBeCents")).toEqual(byPartner(playedAfter, earned, "wasCents"));
        expect(byPartner(playedAfter, earned, "wouldBeCents")).toEqual(byPartner(playedAfter, earned, "wasCents"));
        expect(byPartner(playedBefore, wouldBe, "todayCents")).toEqual(byPartner(playedBefore, wouldBe, "wasCents"));
        expect(byPartner(playedAfter, earned, "todayCents")).toEqual(byPartner(playedBefore, wouldBe, "wasCents"));
      },
    );
    await fc.assert(property, runs);
  },
);
