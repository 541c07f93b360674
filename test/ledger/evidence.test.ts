import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Rule } from "#domain/rules.ts";
import { noDetails } from "#domain/sale-type.ts";
import type { Task } from "#engine/task.ts";
import { maskedEmail } from "#http/keyed-digest.ts";
import type { MaskedEmail } from "#operations/operation.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { recordRefund } from "#operations/track/record-refund.ts";
import { recordSale } from "#operations/track/record-sale.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { isWhole } from "../support/breadth.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { clickOf, daysAgo } from "../support/program-fixture.ts";
import { type Click, type Command, EvidenceModel, giftCents, type Sold, type Terms } from "./evidence-model.ts";

// All histories advance by one call per step, so that calls of many customers share a round (one batched commit).
const histories = Number(process.env.EVIDENCE_HISTORIES ?? 5);
const sideBySide = 50;
const steps = 20;

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

const partnerEmail = "partner@example.com";
const rates = [20, 33, undefined];
const terms = { rates, ruled: 0, bookRate: 50, firstRate: 70 };
const rules: readonly Rule[] = [
  { when: { productIds: ["gift"] }, excluded: true },
  { when: { productIds: ["book"] }, rateBps: terms.bookRate * 100 },
  { when: { isFirst: true }, rateBps: terms.firstRate * 100 },
];
const refundIds = ["r0", "r1"];

/** Two clicks per partner within every window, and one outside all windows. */
const clicks: readonly Click[] = [0, 1, 2].flatMap((partner) => [
  { partner, isGood: true, rank: partner },
  { partner, isGood: true, rank: 5 - partner },
  { partner, isGood: false, rank: -1 - partner },
]);
const clickAt = ({ isGood, rank }: Click): number => daysAgo(isGood ? 40 - rank : 100 - rank);

const click = fc.constantFrom(...clicks);
const shown = fc.uniqueArray(click, { maxLength: 2 });
const sale = fc.constantFrom(0, 0, 1, 1, 2);
const browserLead: fc.Arbitrary<Command> = fc.record({ kind: fc.constant("browser lead" as const), click });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: browserLead },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("keyed lead"), clicks: shown }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("sale"),
      clicks: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, shown),
      amountCents: fc.constantFrom(3, 10, 1_005),
      sold: fc.constantFrom<Sold>("plain", "plain", "gift", "mixed"),
      isHoldOver: fc.boolean(),
      isRecurring: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund"),
      sale,
      id: fc.constantFrom(...refundIds),
      amountCents: fc.constantFrom(undefined, undefined, 1, 3, 333),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel"), sale, id: fc.constantFrom(...refundIds) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("approve"), sale }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reject"), sale }) },
);
/** Most histories begin with a browser's lead. */
const history = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: browserLead }, command), fc.array(command, { minLength: 19, maxLength: 19 }))
  .map(([first, others]) => [first, ...others]);

const soldAs = ({ sold, amountCents }: Command & { kind: "sale" }) => {
  if (sold !== "mixed") return { productId: sold === "plain" ? null : sold };
  const gift = giftCents(amountCents);
  const parts = [
    ["gift", gift],
    ["book", amountCents - gift],
  ] as const;
  const items = parts.map(([productId, cents]) => ({ itemId: productId, productId, amountCents: cents, quantity: 1 }));
  return { items: JSON.stringify(items) };
};

class Customer {
  readonly key = randomBytes(6).toString("hex");
  readonly model: EvidenceModel;
  readonly #clickIds: ReadonlyMap<Click, string>;
  readonly #world: World;
  readonly #email: MaskedEmail | null;
  readonly #isToldTwice: boolean;
  #sales = 0;

  /**
   * Every second customer has the first partner's address. Every second pair of customers has each sale reported by two
   * systems.
   */
  constructor(world: World, terms: Terms, i: number) {
    this.#world = world;
    this.#email = i % 2 === 0 ? null : maskedEmail(testSecrets.HASH_SECRET, partnerEmail);
    this.#isToldTwice = i % 4 > 1;
    this.model = new EvidenceModel(terms);
    this.#clickIds = new Map(
      clicks.map((click) => {
        const partner = world.partners[click.partner];
        if (partner === undefined) throw new Error("a click is of a partner");
        return [click, clickOf(world.programId, partner, clickAt(click))];
      }),
    );
  }

  transaction(sale: number): string {
    const prefix = this.#isToldTwice ? (sale % 2 === 0 ? "in_" : "pi_") : "";
    return `${prefix}${this.key} ${sale}`;
  }

  #verified(clicks: readonly Click[]) {
    const { programId, partners } = this.#world;
    return clicks.map((click) => ({
      clickId: this.#clickIds.get(click) ?? "",
      programId,
      isTest: false,
      linkId: partners[click.partner]?.linkId ?? 0,
      at: clickAt(click),
    }));
  }

  /** Returns undefined if the call is about a sale that doesn't exist. */
  async taskOf(command: Command, ledger: ReturnType<typeof ownLedger>): Promise<Task | undefined> {
    const { programId } = this.#world;
    const common = { operationId: randomBytes(8).toString("hex"), at: now, isTest: false, occurredAt: now };
    const key = { programId, vouched: true } as const;
    const ofLead = { kind: "lead", programId, customerKey: this.key, email: this.#email, pageUrl: null } as const;
    const { taskOf, changeTask } = ledger;
    switch (command.kind) {
      case "browser lead":
      case "keyed lead": {
        const isKeyed = command.kind === "keyed lead";
        const clicks = this.#verified(isKeyed ? command.clicks : [command.click]);
        const lead = { ...common, ...ofLead, clicks, sentClickId: clicks.length > 0, eventName: null };
        return taskOf(recordLead, { ...lead, key: isKeyed ? key : undefined }, now);
      }
      case "sale": {
        const transactionId = this.transaction(this.#sales);
        // The sale is within the window of every good click. A sale past its hold happens before all others.
        const occurredAt = (command.isHoldOver ? daysAgo(20) : daysAgo(1)) + this.#sales * 1_000;
        this.#sales += 1;
        const clicks = this.#verified(command.clicks);
        return taskOf(
          recordSale,
          {
            ...{ ...common, occurredAt, kind: "sale", key, transactionId, customerKey: this.key, clicks },
            ...{ clickId: clicks.at(-1)?.clickId ?? null, sentClickId: clicks.length > 0, sentOccurredAt: true },
            ...{ amountCents: command.amountCents, currency: null },
            ...{ ...noDetails, ...soldAs(command), isRecurring: command.isRecurring },
          },
          now,
        );
      }
      case "refund":
      case "cancel": {
        if (command.sale >= this.#sales) return undefined;
        const cents = command.kind === "refund" ? (command.amountCents ?? null) : null;
        const asked = command.kind === "cancel" ? "cancel" : cents === null ? "rest" : "amount";
        return taskOf(
          recordRefund,
          {
            ...{ ...common, kind: "refund", key, transactionId: this.transaction(command.sale), asked, cents },
            ...{ refundId: command.id, chargeTotalCents: null, reason: null, sentOccurredAt: false },
          },
          now,
        );
      }
      case "approve":
      case "reject": {
        const [row] = await this.#world.rows(
          `select c.id from commissions c join sales s on s.id = c.sale_id
           where s.program_id = ? and s.transaction_id = ?`,
          programId,
          this.transaction(command.sale),
        );
        if (row === undefined) return undefined;
        const decision = command.kind === "approve" ? "approved" : "rejected";
        const { operationId, at } = common;
        const reason = command.kind === "approve" ? null : "broken";
        const call = { kind: "decide-commissions", operationId, at, programId, actorId: "someone" } as const;
        return changeTask({ ...call, commissionIds: [Number(row.id)], decision, reason, partnerNote: null }, now);
      }
    }
  }
}

/** Each customer's sales in the database, in order of report, and the ids of the held ones. */
async function salesIn({ rows, programId, partners }: World) {
  const found = await rows(
    `select sent_customer_key as customer, c.id, c.partner_id, c.status, c.is_unconfirmed, c.amount_cents,
       c.held_at is not null as is_held
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id`,
    programId,
  );
  const sales = new Map<string, { readonly isHeld: boolean; readonly row: unknown }[]>();
  for (const { customer, partner_id, status, is_unconfirmed, amount_cents, is_held } of found) {
    const partner = partners.findIndex(({ id }) => id === partner_id);
    const row = [partner === -1 ? null : partner, status, is_unconfirmed === 1, amount_cents];
    sales.set(String(customer), [...(sales.get(String(customer)) ?? []), { isHeld: is_held === 1, row }]);
  }
  return { sales, held: found.flatMap(({ id, is_held }) => (is_held === 1 ? [Number(id)] : [])) };
}

async function expectAsModels(world: World, customers: readonly Customer[], message: string) {
  const { sales, held } = await salesIn(world);
  for (const { key, model } of customers) {
    const own = sales.get(key) ?? [];
    for (const [i, sale] of model.sales.entries()) sale.isHeld = own[i]?.isHeld ?? false;
    expect(
      own.map(({ row }) => row),
      message,
    ).toEqual(model.rows());
  }
  return held;
}

/** The posted amounts of partners whom neither a keyed call nor a person has confirmed. */
async function gainedByBrowsersAlone({ rows, programId, partners }: World, customers: readonly Customer[]) {
  const found = await rows(
    `select s.sent_customer_key as customer, e.partner_id, sum(e.amount_cents) as cents from ledger_entries e
     join commissions c on c.id = e.commission_id join sales s on s.id = c.sale_id
     where e.program_id = ? and not (c.is_unconfirmed and c.partner_id = e.partner_id) group by 1, 2 having cents > 0`,
    programId,
  );
  return found.filter(({ customer, partner_id }) => {
    const { vouchedFor } = customers.find(({ key }) => key === customer)?.model ?? {};
    return !vouchedFor?.has(partners.findIndex(({ id }) => id === partner_id));
  });
}

test("evidence sent with an API key, and members' assignments, decide a customer's partner, whatever browsers send and in any order", async () => {
  const ledger = ownLedger(database.url, clock);
  const worlds = fc.record({
    attributionModel: fc.constantFrom("last_click" as const, "first_click" as const),
    windowUntil: fc.constantFrom("lead" as const, "first_sale" as const),
    all: fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
  });
  let isOneTime = false;
  const property = fc.asyncProperty(worlds, async ({ attributionModel, windowUntil, all }) => {
    isOneTime = !isOneTime;
    const modelTerms = { ...terms, isOneTime, isFirstClick: attributionModel === "first_click" };
    const scope = isOneTime ? "one_time" : "lifetime";
    const world = await createWorld(database.url, {
      program: { attributionModel, windowUntil },
      policies: [],
      partners: rates.map((rate, i) =>
        rate === undefined
          ? {}
          : { policies: [{ rateBps: rate * 100, scope, rules: i === terms.ruled ? rules : null }] },
      ),
    });
    const customers = all.map((_, i) => new Customer(world, modelTerms, i));
    const change = { operationId: randomBytes(8).toString("hex"), at: now, programId: world.programId, actorId: "one" };
    const email = { kind: "update-partner", partnerId: world.partner.id, changes: { email: partnerEmail } } as const;
    await ledger.submit(ledger.changeTask({ ...change, ...email }, now)).outcome;
    let held: readonly number[] = [];
    for (let step = 0; step < steps; step += 1) {
      const tasks = await Promise.all(
        customers.map((customer, i) => {
          const command = all[i]?.[step];
          return command && customer.taskOf(command, ledger);
        }),
      );
      await Promise.all(tasks.map((task) => task && ledger.submit(task).outcome));
      for (const [i, { model }] of customers.entries()) {
        const command = all[i]?.[step];
        if (tasks[i] !== undefined && command !== undefined) model.take(command);
      }
      held = await expectAsModels(world, customers, `step ${step}`);
      expect(await gainedByBrowsersAlone(world, customers)).toEqual([]);
      if (isWhole || step % 5 === 0) expect(await world.audit(), `step ${step}`).toEqual([]);
    }
    // After all holds are released, the books must be as if nothing had been held.
    const [first = 0, ...others] = held;
    expect(first).toBeGreaterThan(0);
    const release = { kind: "review-commissions", review: { action: "release", note: null } } as const;
    const released = {
      ...change,
      operationId: randomBytes(8).toString("hex"),
      commissionIds: [first, ...others],
    } as const;
    await ledger.submit(ledger.changeTask({ ...released, ...release }, now)).outcome;
    expect(await expectAsModels(world, customers, "once released")).toEqual([]);
    expect(await world.audit(), "once released").toEqual([]);
    expect(ledger.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: Math.ceil(histories / sideBySide), endOnFailure: true });
}, 3_600_000);
