import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { noDetails } from "#domain/sale-type.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { recordRefund } from "#operations/track/record-refund.ts";
import { recordSale } from "#operations/track/record-sale.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { clickOf, daysAgo } from "../support/program-fixture.ts";
import { type Click, type Command, type Coupon, CouponModel } from "./coupon-model.ts";

// All histories advance by one call per step, so that calls of many customers share a round (one batched commit).
const histories = Number(process.env.COUPON_HISTORIES ?? 30);
const sideBySide = 100;
const steps = 10;

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
const database = isolatedDatabase();

/** Days of clicks are even and days of sales are odd, so that no click and sale have the same time. */
const click = fc.record({ partner: fc.nat(2), day: fc.integer({ min: 1, max: 10 }).map((n) => 2 * n) });
const coupon = fc.constantFrom<Coupon>(0, 1, 2, "unknown", "paused");
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("lead"), click }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("sale"),
      day: fc.integer({ min: 1, max: 10 }).map((n) => 2 * n + 1),
      coupons: fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(coupon, { maxLength: 3 }) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refund"), sale: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("approve"), sale: fc.nat(5) }) },
);
const instantOf = (command: Command) =>
  command.kind === "sale" ? command.day : command.kind === "lead" ? `${command.click.day}` : randomBytes(4);
const history = fc.uniqueArray(command, { minLength: steps, maxLength: steps, selector: instantOf });

const at = (day: number): number => daysAgo(50 - day);
const codes = ["ANNA", "BEN", "CLARA"];
const codeOf = (coupon: Coupon): string => (typeof coupon === "number" ? (codes[coupon] ?? "") : coupon);

class Customer {
  readonly key = randomBytes(6).toString("hex");
  readonly model = new CouponModel();
  readonly #world: World;
  #sales = 0;

  constructor(world: World) {
    this.#world = world;
  }

  transaction = (sale: number): string => `${this.key} ${sale}`;

  #verified({ partner, day }: Click) {
    const { programId, partners } = this.#world;
    const of = partners[partner];
    if (of === undefined) throw new Error("a click is of a partner");
    const clickId = clickOf(programId, of, at(day));
    return { clickId, programId, isTest: false, linkId: of.linkId, at: at(day) };
  }

  async taskOf(command: Command, { taskOf, changeTask }: ReturnType<typeof ownLedger>) {
    const { programId } = this.#world;
    const common = { operationId: randomBytes(8).toString("hex"), at: now, isTest: false };
    const key = { programId, vouched: true } as const;
    switch (command.kind) {
      case "lead": {
        const ofLead = { kind: "lead", programId, customerKey: this.key, email: null, pageUrl: null } as const;
        const clicks = [this.#verified(command.click)];
        const occurredAt = at(command.click.day);
        return taskOf(
          recordLead,
          { ...common, ...ofLead, clicks, sentClickId: true, eventName: null, key, occurredAt },
          now,
        );
      }
      case "sale": {
        const transactionId = this.transaction(this.#sales);
        this.#sales += 1;
        const sold = { amountCents: 1_000, currency: null, ...noDetails, couponCodes: command.coupons.map(codeOf) };
        const by = { customerKey: this.key, clicks: [], clickId: null, sentClickId: false };
        const when = { occurredAt: at(command.day), sentOccurredAt: true };
        return taskOf(recordSale, { ...common, ...when, kind: "sale", key, transactionId, ...by, ...sold }, now);
      }
      case "refund": {
        if (command.sale >= this.#sales) return undefined;
        const asked = { asked: "rest", cents: null, refundId: "whole", chargeTotalCents: null, reason: null } as const;
        const transactionId = this.transaction(command.sale);
        const when = { occurredAt: now, sentOccurredAt: false };
        return taskOf(recordRefund, { ...common, ...when, kind: "refund", key, transactionId, ...asked }, now);
      }
      case "approve": {
        const [row] = await this.#world.rows(
          "select c.id from commissions c join sales s on s.id = c.sale_id where s.program_id = ? and s.transaction_id = ?",
          ...[programId, this.transaction(command.sale)],
        );
        if (row === undefined) return undefined;
        const call = { ...common, kind: "decide-commissions", programId, actorId: "someone" } as const;
        const decided = {
          commissionIds: [Number(row.id)],
          decision: "approved",
          reason: null,
          partnerNote: null,
        } as const;
        return changeTask({ ...call, ...decided }, now);
      }
    }
  }
}

/** The sales of each customer in order of report: partner, source, and the outcome of the first known coupon. */
async function salesIn({ rows, programId, partners }: World): Promise<ReadonlyMap<string, unknown[]>> {
  const found = await rows(
    `select s.sent_customer_key as customer, c.partner_id, c.source, c.explanation
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id`,
    programId,
  );
  const sales = new Map<string, unknown[]>();
  for (const { customer, partner_id, source, explanation } of found) {
    const { coupons = [] } = JSON.parse(String(explanation)) as { coupons?: { outcome: string }[] };
    const counting = coupons.find(({ outcome }) => outcome !== "unknown" && outcome !== "paused");
    const partner = partners.findIndex(({ id }) => id === partner_id);
    const row = [partner === -1 ? null : partner, source, counting?.outcome ?? null];
    sales.set(String(customer), [...(sales.get(String(customer)) ?? []), row]);
  }
  return sales;
}

test("sales with coupons are attributed by the guide's table of rules, in any order of sales, leads, refunds and approvals", async () => {
  const ledger = ownLedger(database.server.url, clock);
  const property = fc.asyncProperty(
    fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
    async (all) => {
      const world = await createWorld(database.server.url, {
        policies: [{ holdDays: 90 }],
        partners: [{}, {}, {}],
        coupons: [
          ...codes.map((code, partner) => ({ codes: [code], partner })),
          { codes: ["paused"], status: "paused" as const },
        ],
      });
      const customers = all.map(() => new Customer(world));
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
        const found = await salesIn(world);
        for (const [i, { key, model }] of customers.entries()) {
          expect(found.get(key) ?? [], JSON.stringify(all[i]?.slice(0, step + 1))).toEqual(model.rows());
        }
      }
      expect(await world.audit()).toEqual([]);
      expect(ledger.faults).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(histories / sideBySide), endOnFailure: true });
}, 3_600_000);
