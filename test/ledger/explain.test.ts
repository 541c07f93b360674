import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explain } from "#domain/explain/explain.ts";
import { type ExplainRequest, readExplainFacts } from "#store/reports/explain.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { sentenceFaults } from "../support/sentence-faults.ts";

const numRuns = Number(process.env.EXPLAIN_RUNS ?? 2);
const steps = 12;

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

const clickAges = [2, 8, 25, 40, 70];
const shown = fc.uniqueArray(fc.tuple(fc.nat(2), fc.constantFrom(...clickAges)), { maxLength: 3, selector: String });
const refundId = fc.constantFrom("r0", "r1");
const command = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lead" as const),
      by: fc.constantFrom("key" as const, "browser" as const),
      shown,
      days: fc.constantFrom(0, 10, 30),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("sale" as const),
      shown: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, shown),
      days: fc.constantFrom(1, 5, 20, 35),
      amountCents: fc.constantFrom(1, 3, 999, 10_001),
      currency: fc.constantFrom(null, "USD"),
      isRecurring: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      sale: fc.nat(3),
      refundId,
      cents: fc.constantFrom(null, 1, 333),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const), sale: fc.nat(3), refundId }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      sale: fc.nat(3),
      decision: fc.constantFrom("approved" as const, "rejected" as const),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

const policy = fc.constantFrom(
  { rateBps: 2_000 },
  { rateBps: 3_333, scope: "one_time" as const },
  { rateBps: 1_250, maxCommissionCents: 500, minSaleCents: 100, currency: "EUR", holdDays: 0 },
  { type: "flat" as const, amountCents: 250, currency: "EUR", scope: "recurring" as const, durationMonths: 1 },
  undefined,
);
const program = fc.record({
  attributionModel: fc.constantFrom("last_click" as const, "first_click" as const),
  windowUntil: fc.constantFrom("lead" as const, "first_sale" as const),
  attributionWindowDays: fc.constantFrom(10, 60),
  leadAuth: fc.constantFrom("browser_allowed" as const, "browser_allowed" as const, "server_required" as const),
});

/** Sends one customer's history to the Ledger call by call, and requests the explanation after each call. */
class History {
  readonly #world: World;
  readonly #calls: ReturnType<typeof callsOf>;
  readonly #clicks = new Map<string, ReturnType<ReturnType<typeof callsOf>["click"]>>();
  readonly #leads = new Set<number>();
  #sales = 0;

  constructor(world: World, ledger: ReturnType<typeof ownLedger>) {
    this.#world = world;
    this.#calls = callsOf(world, ledger);
  }

  async explain(by: ExplainRequest["by"], key: string | number) {
    const database = databaseAt(server.url);
    const request = { programId: this.#world.programId, isTest: false, by, key, refundId: undefined, after: undefined };
    const found = await readExplainFacts(database, request);
    expect(database.roundTrips).toBe(1);
    if (!found.found) throw new Error(`nothing found by ${by} ${key}`);
    const explained = explain(found.facts, daysAgo(0), "integrator");
    const { verdict, missing, commission } = explained;
    const texts = [
      verdict.message,
      ...missing.flatMap(({ message, remedy }) => [message, remedy]),
      ...(commission?.calculation ?? []).map(({ text }) => text),
    ];
    expect(texts.flatMap(sentenceFaults)).toEqual([]);
    return explained;
  }

  #verified(shown: readonly (readonly [partner: number, age: number])[]) {
    return shown.map(([partner, age]) => {
      const name = `${partner} ${age}`;
      const of = this.#world.partners[partner] ?? this.#world.partner;
      const click = this.#clicks.get(name) ?? this.#calls.click(of, daysAgo(age));
      this.#clicks.set(name, click);
      return click;
    });
  }

  async take(command: Command): Promise<void> {
    switch (command.kind) {
      case "lead":
        return this.#lead(command);
      case "sale":
        return this.#sale(command);
      case "refund":
      case "cancel":
        return this.#refund(command);
      case "decide": {
        const id = (await this.#calls.commissions())[command.sale]?.id;
        if (id !== undefined) await this.#calls.decide(Number(id), command.decision);
      }
    }
  }

  async #lead({ by, shown, days }: Command & { kind: "lead" }): Promise<void> {
    const isKnown = (await this.#calls.customer()) !== undefined;
    const clicks = this.#verified(shown);
    if (by === "browser" && clicks.length === 0) return;
    const answer = await this.#calls.lead(by, clicks, "c1", { occurredAt: daysAgo(by === "key" ? days : 0) });
    if (answer.leadId === undefined || (by === "browser" && isKnown)) return;
    const { verdict, candidates } = await this.explain("lead", answer.leadId);
    // The first lead of a customer is never replaced, so its candidates stay the same.
    const isRepeat = this.#leads.has(answer.leadId) || (answer.status !== "provisional" && answer.repeat !== undefined);
    this.#leads.add(answer.leadId);
    if (answer.status === "attributed")
      expect(verdict).toMatchObject({ attributed: true, partnerCode: answer.partnerCode });
    else expect(verdict).toMatchObject({ attributed: false, partnerCode: null });
    if (answer.status === "unattributed" && !isRepeat) expect(verdict.reason).toBe(answer.reason);
    if (answer.status === "provisional") expect(verdict.reason).toBe("provisional");
    const chosen = candidates.filter(({ outcome }) => outcome === "chosen");
    expect(chosen.map(({ partnerCode }) => partnerCode)).toEqual(verdict.attributed ? [verdict.partnerCode] : []);
    if (!isRepeat) {
      expect(candidates.map(({ clickId }) => clickId)).toEqual(
        expect.arrayContaining(clicks.map(({ clickId }) => clickId)),
      );
    }
  }

  async #sale({ shown, days, ...more }: Command & { kind: "sale" }): Promise<void> {
    const clicks = this.#verified(shown);
    const sent = { clicks, clickId: clicks.at(-1)?.clickId ?? null, sentClickId: clicks.length > 0 };
    const transactionId = `t${this.#sales}`;
    this.#sales += 1;
    const answer = await this.#calls.sale(transactionId, daysAgo(days, this.#sales * 1_000), { ...more, ...sent });
    const { verdict, candidates } = await this.explain("transaction", transactionId);
    const { commission } = answer;
    expect(verdict).toMatchObject({
      attributed: answer.attributed,
      partnerCode: answer.partnerCode ?? null,
      reason: answer.reason ?? commission.reason ?? null,
      commissionCents: commission.amountCents,
      currency: commission.currency,
      status: commission.status,
    });
    expect(candidates.map(({ clickId }) => clickId)).toEqual(
      expect.arrayContaining(clicks.map(({ clickId }) => clickId)),
    );
  }

  async #refund(command: Command & { kind: "refund" | "cancel" }): Promise<void> {
    if (command.sale >= this.#sales) return;
    const cents = command.kind === "refund" ? command.cents : null;
    const asked = command.kind === "cancel" ? "cancel" : cents === null ? "rest" : "amount";
    const transactionId = `t${command.sale}`;
    const { ledger, refundTask } = this.#calls;
    const outcome = await ledger.submit(refundTask(transactionId, asked, { refundId: command.refundId, cents }))
      .outcome;
    if (!outcome.ok || outcome.answer.status === "skipped") return;
    const { verdict } = await this.explain("transaction", transactionId);
    expect(verdict.commissionCents).toBe(outcome.answer.commissionAmountCents);
  }

  /**
   * For every sale, the explanation's arithmetic ends with the sale's commission, and its click is the chosen
   * candidate, whatever happened later.
   */
  async checkAll(): Promise<void> {
    for (const row of await this.#calls.commissions()) {
      const { verdict, commission, candidates, missing } = await this.explain("commission", Number(row.id));
      expect(verdict).toMatchObject({ commissionCents: row.amount_cents, status: row.status });
      const partner = this.#world.partners.find(({ id }) => id === row.partner_id);
      expect(verdict.partnerCode).toBe(partner?.code ?? null);
      if (row.status !== "void") expect(commission?.calculation.at(-1)?.cents).toBe(row.amount_cents);
      const chosen = candidates.filter(({ outcome }) => outcome === "chosen").map(({ partnerCode }) => partnerCode);
      expect(chosen).toEqual(partner === undefined ? [] : [partner.code]);
      if (row.status === "void") expect(missing.map(({ code }) => code)).toEqual([row.reason]);
    }
  }
}

test("explanations match the response to each call and the amount of each commission", async () => {
  const clock = { now: () => daysAgo(0), sleep: async () => {}, random: () => 0.5 };
  const ledger = ownLedger(server.url, clock);
  const histories = fc.record({
    program,
    policies: fc.tuple(policy, policy, policy),
    commands: fc.array(command, { minLength: steps, maxLength: steps }),
  });
  const property = fc.asyncProperty(histories, async ({ program, policies, commands }) => {
    const partners: WorldSettings["partners"] = policies.map((own) => (own === undefined ? {} : { policies: [own] }));
    const history = new History(await createWorld(server.url, { program, policies: [], partners }), ledger);
    for (const each of commands) {
      await history.take(each);
      await history.checkAll();
    }
    expect(ledger.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}, 3_600_000);
