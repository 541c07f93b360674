import fc from "fast-check";
import type { Task } from "#engine/task.ts";
import type { Database } from "#store/database.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import type { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// A shop whose partners refer many sales, to few customers in few periods, with refunds, corrections and moves.

const customers = ["anna's", "anna's too", "ben's", "ben's too", "moving", "moving too"] as const;

/** Customers who get sales only by corrections, and have no partner until a member assigns one. */
const strangers = ["stranger", "another stranger"] as const;

const sold = fc.record({
  kind: fc.constant("sell" as const),
  customer: fc.nat(customers.length - 1),
  daysAgo: fc.constantFrom(0, 0, 0, 1, 20, 45),
  amountCents: fc.constantFrom(1_000, 4_900),
  currency: fc.constantFrom("EUR", "EUR", "USD"),
  coupons: fc.constantFrom([], [], ["BEN5"]),
});
const ofSale = { nth: fc.nat(40) };

/** The calls of one round are generated between two calls that wait for their response. */
export const shopEvent = fc.oneof(
  { weight: 6, arbitrary: sold },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("round" as const),
      sales: fc.array(sold, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      ...ofSale,
      asked: fc.constantFrom("rest", "rest", "amount", "cancel"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("correct" as const),
      ...ofSale,
      changes: fc.constantFrom(
        { amountCents: 2_000 },
        { occurredAt: daysAgo(45) },
        { occurredAt: daysAgo(1) },
        { customerKey: "ben's" },
        { customerKey: strangers[0] },
        { customerKey: strangers[1] },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      ...ofSale,
      decision: fc.constantFrom("rejected", "rejected", "approved"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), customer: fc.constantFrom(4, 5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("assign" as const),
      stranger: fc.nat(1),
      partner: fc.nat(1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("settle" as const) }) },
);
type ShopEvent = typeof shopEvent extends fc.Arbitrary<infer T> ? T : never;
type Sold = typeof sold extends fc.Arbitrary<infer T> ? T : never;

export async function openTierShop(
  databaseUrl: string,
  ledger: ReturnType<typeof ledgerOn>,
  settings: Pick<WorldSettings, "policies" | "program">,
) {
  const world = await createWorld(databaseUrl, {
    partners: [{ code: "anna" }, { code: "ben" }],
    coupons: [{ codes: ["BEN5"], partner: 1 }],
    ...settings,
  });
  const calls = callsOf(world, ledger);
  const [anna = world.partner, ben = world.partner] = world.partners;
  for (const [i, customer] of customers.slice(0, 4).entries()) {
    const click = calls.click(i < 2 ? anna : ben, daysAgo(50));
    await calls.lead("key", [click], customer, { occurredAt: daysAgo(49) });
  }
  for (const customer of customers.slice(4)) {
    await calls.lead("browser", [calls.click(anna, daysAgo(50))], customer, { occurredAt: daysAgo(49) });
  }
  const transactions: string[] = [];

  const saleTask = ({ customer, daysAgo: days, amountCents, currency, coupons }: Sold): Task => {
    const transactionId = `t${transactions.length}`;
    transactions.push(transactionId);
    const details = { customerKey: customers[customer] ?? null, amountCents, currency, couponCodes: coupons };
    return calls.saleTask(transactionId, daysAgo(days), details);
  };
  const transactionOf = ({ nth }: { readonly nth: number }) =>
    transactions[nth % Math.max(1, transactions.length)] ?? "";
  const idOf = async (transaction: string, id: string) => {
    const [row] = await world.rows(
      `select ${id} as id from sales s join commissions c on c.sale_id = s.id where s.program_id = ? and s.transaction_id = ?`,
      ...[world.programId, transaction],
    );
    return Number(row?.id ?? 0);
  };

  const changedBy = (operation: string) => ({
    operationId: `${world.programId} ${transactions.length} ${operation}`.slice(-16),
    at: daysAgo(0),
    actorId: "someone",
    programId: world.programId,
  });

  async function correct(event: ShopEvent & { readonly kind: "correct" }, database: Database): Promise<void> {
    const found = await findCorrectableSale(database, world.programId, await idOf(transactionOf(event), "s.id"));
    if (found === undefined) return;
    const call = { ...changedBy(`c${event.nth}`), ...found, clicks: [], reason: "wrong" } as const;
    const { changes } = event;
    const task = ledger.changeTask({ ...call, kind: "correct-sale", changes, isDryRun: false }, daysAgo(0));
    await ledger.submit(task).outcome;
  }

  async function assign({ stranger, partner }: ShopEvent & { readonly kind: "assign" }): Promise<void> {
    const { id: partnerId } = partner === 0 ? anna : ben;
    const assigned = {
      customerKey: strangers[stranger] ?? "",
      partnerId,
      since: daysAgo(50),
      payPast: true,
      reason: "on the phone",
    };
    const call = { ...changedBy(`a${stranger}${partner}`), ...assigned, kind: "assign-customer" } as const;
    await ledger.submit(ledger.changeTask(call, daysAgo(0))).outcome;
  }

  async function play(event: ShopEvent, database: Database): Promise<void> {
    switch (event.kind) {
      case "sell":
        await ledger.submit(saleTask(event)).outcome;
        return;
      case "round":
        await calls.together(...event.sales.map(saleTask));
        return;
      case "refund": {
        const more = event.asked === "amount" ? { cents: 100, refundId: "r" } : { refundId: "r" };
        await ledger.submit(calls.refundTask(transactionOf(event), event.asked, more)).outcome;
        return;
      }
      case "correct":
        return correct(event, database);
      case "assign":
        return assign(event);
      case "decide":
        await calls.decide(await idOf(transactionOf(event), "c.id"), event.decision);
        return;
      case "move": {
        const click = calls.click(ben, daysAgo(40));
        await ledger.submit(calls.leadTask("key", [click], customers[event.customer])).outcome;
        return;
      }
      case "settle":
        await ledger.loop.maintain();
    }
  }
  return { world, play };
}
