import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifiedClicks } from "#http/click-ids.ts";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testClickKeys } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { expectCustomersToAddUp } from "../support/customers-add-up.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectFiguresToAddUp } from "../support/figures-by-group.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";

// Random histories mix corrections and erasures with sales, clicks, coupons, imports and assignments. The audit
// computes each result independently, and finds any inconsistency in the resulting books.

const histories = Number(process.env.CORRECTION_HISTORIES ?? 30);
const sideBySide = 30;
const steps = 12;

const database = isolatedDatabase();
const now = daysAgo(0);
const minute = 60_000;

interface Shown {
  readonly partner: number;
  readonly slot: number;
}

type Command =
  | { readonly kind: "lead"; readonly by: "key" | "browser"; readonly click: Shown }
  | {
      readonly kind: "sale";
      readonly slot: number;
      readonly coupon: number | undefined;
      readonly click: Shown | undefined;
      /** The sale has no customer key. Its click identifies the customer. */
      readonly isKeyless: boolean;
      readonly isRecurring: boolean;
    }
  | { readonly kind: "refund"; readonly sale: number; readonly cents: number | undefined }
  | { readonly kind: "decide"; readonly sale: number; readonly decision: "approved" | "rejected" }
  | { readonly kind: "hold" | "release"; readonly sale: number }
  | {
      readonly kind: "correct";
      readonly sale: number;
      readonly to: number | "amount" | "customer" | "back";
      /** The slot to which the sale also moves, if the correction changes its customer and its time. */
      readonly also: number | undefined;
    }
  | { readonly kind: "import" | "assign"; readonly partner: number; readonly since: number | undefined }
  | { readonly kind: "erase" };

/**
 * The first slots are days ago, the last ones within the current hour. A click may be up to 5 minutes later than its
 * sale.
 */
const slots = [
  ...[40, 39, 30, 20, 10, 5, 3].map((days) => daysAgo(days)),
  ...[50, 49, 46, 30, 28, 20, 10, 5, 1].map((minutes) => now - minutes * minute),
];
const slot = fc.nat(slots.length - 1);
const partner = fc.nat(2);
const click = fc.record({ partner, slot });
/** A click at slot 0 is before every sale, so it takes precedence over every coupon. */
const clickOfLead = fc.oneof(fc.record({ partner, slot: fc.constant(0) }), click);
const sale = fc.nat(4);
const of = <Kind extends Command["kind"]>(kind: Kind) => fc.constant(kind);
const sold: fc.Arbitrary<Command> = fc.record({
  kind: of("sale"),
  slot,
  coupon: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
  click: fc.option(click, { nil: undefined, freq: 1 }),
  isKeyless: fc.boolean(),
  isRecurring: fc.boolean(),
});
const corrected: fc.Arbitrary<Command> = fc.record({
  kind: of("correct"),
  sale,
  to: fc.oneof(slot, fc.constantFrom("amount", "customer", "customer", "back", "back")),
  also: fc.option(slot, { nil: undefined, freq: 1 }),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: of("lead"), by: fc.constantFrom("key", "browser"), click: clickOfLead }) },
  { weight: 4, arbitrary: sold },
  { weight: 2, arbitrary: fc.record({ kind: of("refund"), sale, cents: fc.constantFrom(undefined, undefined, 300) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: of("decide"), sale, decision: fc.constantFrom("approved", "rejected") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("hold", "release"), sale }) },
  { weight: 5, arbitrary: corrected },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("import", "assign"),
      partner,
      since: fc.option(slot, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: of("erase").map((kind) => ({ kind })) },
);
const commands = (length: number) => fc.array(command, { minLength: length, maxLength: length });
const twoSales = fc
  .tuple(fc.array(sold, { minLength: 2, maxLength: 2 }), commands(steps - 2))
  .map(([first, others]) => [...first, ...others]);

const plain = { click: undefined, isKeyless: false, isRecurring: false } as const;
/** A correction takes away the sale whose coupon took the customer from the click that a browser had reported. */
const returned = fc
  .tuple(partner, fc.nat(2), corrected, commands(steps - 4))
  .map(([partner, coupon, correction, others]): readonly Command[] => [
    { kind: "lead", by: "browser", click: { partner, slot: 3 } },
    { kind: "sale", slot: 2, coupon, ...plain },
    { kind: "sale", slot: 5, coupon: undefined, ...plain },
    { ...correction, sale: 0 } as Command,
    ...others,
  ]);
const history = fc.oneof({ weight: 4, arbitrary: twoSales }, { weight: 1, arbitrary: returned });

const at = (of: number): number => slots[of] ?? now;
const codes = ["ANNA5", "BEN10", "CLARA5", "OLD"];

async function openShop() {
  const world = await createWorld(database.server.url, {
    policies: [{ holdDays: 15, scope: "recurring", durationMonths: 1 }],
    partners: [
      { code: uniqueWord("anna") },
      { code: uniqueWord("ben") },
      // Most sales are of 1,000 cents and earn nothing for Clara.
      { code: uniqueWord("clara"), policies: [{ holdDays: 15, minSaleCents: 1_002, currency: "EUR" }] },
    ],
    coupons: [
      ...["ANNA5", "BEN10", "CLARA5"].map((code, partner) => ({ codes: [code], partner })),
      { codes: ["OLD"], partner: 1, validUntil: now - 25 * minute },
    ],
  });
  return { world, calls: callsOf(world, database.server.url) };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

class Customer {
  readonly key = `c-${randomBytes(8).toString("hex")}`;
  readonly #shop: Shop;
  readonly #clicks = new Map<string, ReturnType<Shop["calls"]["click"]>>();
  #sales = 0;
  #corrections = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  #verified({ partner, slot: of }: Shown) {
    const { world, calls } = this.#shop;
    const shown = world.partners[partner];
    if (shown === undefined) throw new Error("a click is of a partner");
    // Several calls send the same click.
    const name = `${partner} ${of % 4}`;
    const made = this.#clicks.get(name) ?? calls.click(shown, at(of));
    this.#clicks.set(name, made);
    return made;
  }

  /** Returns the newest version of the sale. */
  async #newest(sale: number) {
    const { world } = this.#shop;
    const [row] = await world.rows(
      `select n.id, c.id as commission_id from sales o
       join sales n on n.id = o.id or n.corrected_sale_id = o.id join commissions c on c.sale_id = n.id
       where o.program_id = ? and o.operation_id like ? and o.corrected_sale_id is null order by n.id desc limit 1`,
      ...[world.programId, `${this.key} ${sale % this.#sales} %`],
    );
    return row && { saleId: Number(row.id), commissionId: Number(row.commission_id) };
  }

  async take(command: Command, step: number): Promise<unknown> {
    const { calls } = this.#shop;
    const told = { at: now + step };
    switch (command.kind) {
      case "lead":
        return calls.ledger.submit(
          calls.leadTask(command.by, [this.#verified(command.click)], this.key, {
            ...told,
            occurredAt: at(command.click.slot),
          }),
        ).outcome;
      case "sale": {
        const number = this.#sales;
        this.#sales += 1;
        const { coupon, isKeyless, isRecurring } = command;
        const shown = command.click && this.#verified(command.click);
        return calls.ledger.submit(
          calls.saleTask(`${this.key} ${number}`, at(command.slot), {
            ...told,
            operationId: `${this.key} ${number} ${randomBytes(4).toString("hex")}`,
            customerKey: isKeyless && shown !== undefined ? null : this.key,
            isRecurring,
            couponCodes: coupon === undefined ? [] : [codes[coupon] ?? ""],
            ...(shown && { clicks: [shown], clickId: shown.clickId, sentClickId: true }),
          }),
        ).outcome;
      }
      case "refund": {
        const { cents } = command;
        const asked = cents === undefined ? "rest" : "amount";
        const more = { ...told, cents: cents ?? null, refundId: `r${step}` };
        return calls.ledger.submit(calls.refundTask(`${this.key} ${command.sale % this.#sales}`, asked, more)).outcome;
      }
      default:
        return this.#change(command, step);
    }
  }

  async #change(command: Exclude<Command, { kind: "lead" | "sale" | "refund" }>, step: number): Promise<unknown> {
    const { world, calls } = this.#shop;
    const { programId } = world;
    const operationId = randomBytes(8).toString("hex");
    const by = { operationId, at: now + step, programId, actorId: "someone" };
    type Change = Parameters<typeof calls.ledger.changeTask>[0];
    const change = (call: Change) => calls.ledger.submit(calls.ledger.changeTask(call, now + step)).outcome;
    if (command.kind === "erase") {
      const erased = erasingCallsOf(world, calls).eraseTask(this.key, { at: now + step });
      return calls.ledger.submit(erased).outcome;
    }
    if (command.kind === "import" || command.kind === "assign") {
      const of = world.partners[command.partner];
      if (of === undefined) throw new Error("a binding is to a partner");
      const since = command.since === undefined ? undefined : at(command.since);
      if (command.kind === "assign") {
        const assigned = { partnerId: of.id, since: since ?? null, payPast: true, reason: "r" };
        return change({ ...by, kind: "assign-customer", customerKey: this.key, ...assigned });
      }
      const row = { line: 1, customerKey: this.key, partnerCode: of.code, since, payPast: true };
      const rows = [{ ...row, firstSaleAt: undefined, subscriptionId: undefined }];
      return change({ ...by, kind: "import-customers", source: "E", isDryRun: false, rows });
    }
    if (!("sale" in command)) return undefined;
    const found = await this.#newest(command.sale);
    if (found === undefined) return undefined;
    const { commissionId, saleId } = found;
    if (command.kind === "decide") {
      const { decision } = command;
      const commissionIds = [commissionId] as const;
      return change({ ...by, kind: "decide-commissions", commissionIds, decision, reason: "r", partnerNote: null });
    }
    if (command.kind === "correct") return change({ ...by, ...(await this.#correction(saleId, command)) });
    const review =
      command.kind === "hold"
        ? ({ action: "hold", reason: "r", partnerNote: null } as const)
        : ({ action: "release", note: null } as const);
    return change({ ...by, kind: "review-commissions", commissionIds: [commissionId], review });
  }

  async #correction(saleId: number, { to, also }: Extract<Command, { kind: "correct" }>) {
    const { programId } = this.#shop.world;
    const found = await findCorrectableSale(databaseAt(database.server.url), programId, saleId);
    if (found === undefined) throw new Error("the sale was found before");
    this.#corrections += 1;
    const changes: SaleCorrection =
      to === "amount"
        ? { amountCents: 1_000 + this.#corrections }
        : typeof to === "number"
          ? { occurredAt: at(to) }
          : {
              customerKey: to === "back" ? this.key : `${this.key} other`,
              ...(also !== undefined && { occurredAt: at(also) }),
            };
    const { clicks } = verifiedClicks(testClickKeys, [], found.sale.sentClickId);
    return { ...found, kind: "correct-sale", clicks, changes, reason: "wrong", isDryRun: false } as const;
  }
}

async function follow({ calls }: Shop): Promise<void> {
  while ((await calls.pending()) > 0) await calls.maintain();
}

test("any order of corrections, erasures, coupons, imports and assignments leaves consistent books", async () => {
  const property = fc.asyncProperty(
    fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
    async (all) => {
      const shop = await openShop();
      const customers = all.map(() => new Customer(shop));
      for (let step = 0; step < steps; step += 1) {
        const taken = customers.map((customer, i) => {
          const command = all[i]?.[step];
          return command && customer.take(command, step);
        });
        await Promise.all(taken);
        // If a customer has many sales, the Ledger moves the rest of them in later steps.
        if (step % 3 === 2) await follow(shop);
      }
      expect(shop.calls.ledger.faults).toEqual([]);
      expect(await shop.world.audit()).toEqual([]);
      await follow(shop);
      expect(await shop.world.audit()).toEqual([]);
      await expectFiguresToAddUp(databaseAt(database.server.url), shop.world);
      await expectCustomersToAddUp(databaseAt(database.server.url), shop.world);
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(histories / sideBySide), endOnFailure: true });
}, 3_600_000);
