import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { maxAmountCents } from "#domain/money.ts";
import { noDetails } from "#domain/sale-type.ts";
import type { JudgeFirstSaleCall } from "#operations/offers/judge-first-sale.ts";
import type { SaleCall } from "#operations/track/sale.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

// For each random history of a customer, asks the Ledger about the customer's first sale and then records this sale.

const histories = Number(process.env.OFFER_HISTORIES ?? 84);
const customersAtOnce = 100;

const database = isolatedDatabase();
const now = daysAgo(0);

interface Shown {
  readonly partner: number;
  readonly daysAgo: number;
}

type Command =
  | { readonly kind: "lead" | "browser lead"; readonly click: Shown | undefined; readonly daysAgo: number }
  | { readonly kind: "sale"; readonly click: Shown | undefined; readonly coupon: boolean; readonly daysAgo: number }
  | { readonly kind: "import"; readonly partner: number; readonly isBuyer: boolean }
  | { readonly kind: "assign"; readonly partner: number };

/** The third partner is paused, and the fourth has their own policy. */
const partner = fc.nat(3);
const days = fc.integer({ min: 0, max: 80 });
const click = fc.option(fc.record({ partner, daysAgo: days }), { nil: undefined, freq: 4 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("lead", "lead", "browser lead"), click, daysAgo: days }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("sale"), click, coupon: fc.boolean(), daysAgo: days }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("import"),
      partner,
      isBuyer: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("assign"), partner }) },
);
const history = fc.record({ commands: fc.array(command, { maxLength: 4 }), click });

const worlds: readonly WorldSettings[] = [
  {},
  { program: { attributionModel: "first_click" }, policies: [{ scope: "one_time" }] },
  { program: { windowUntil: "first_sale" }, policies: [{ scope: "recurring", durationMonths: 1 }] },
  { policies: [{ rateBps: 0, minSaleCents: 5_000, currency: "EUR" }] },
  { policies: [{ type: "flat", amountCents: 500, currency: "USD" }] },
  { program: { status: "paused" } },
  { policies: [] },
];

type Calls = ReturnType<typeof callsOf>;
type Click = ReturnType<Calls["click"]>;

async function openShop(settings: WorldSettings) {
  const partners = [{}, {}, { status: "paused" }, { policies: [{ rateBps: 100 }] }] as const;
  const world = await createWorld(database.server.url, { ...settings, partners, coupons: [{ codes: ["ANNA"] }] });
  const calls = callsOf(world, database.server.url);
  const { ledger } = calls;
  type Change = Parameters<typeof ledger.changeTask>[0];
  const change = (call: Change) => ledger.submit(ledger.changeTask(call, now)).outcome;
  const by = () => ({
    ...{ operationId: randomBytes(8).toString("hex"), at: now, programId: world.programId, actorId: "someone" },
  });
  const partnerOf = (index: number) => world.partners[index] ?? world.partner;
  return { world, calls, change, by, partnerOf };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

class Customer {
  readonly key = randomBytes(6).toString("hex");
  readonly #shop: Shop;
  readonly #asked: Shown | undefined;
  #click: Click | undefined;
  #sales = 0;

  constructor(shop: Shop, asked: Shown | undefined) {
    this.#shop = shop;
    this.#asked = asked;
  }

  #shown(of: Shown | undefined): Click[] {
    const { calls, partnerOf } = this.#shop;
    return of === undefined ? [] : [calls.click(partnerOf(of.partner), daysAgo(of.daysAgo))];
  }

  async take(command: Command): Promise<void> {
    const { calls, change, by, partnerOf } = this.#shop;
    if (command.kind === "assign") {
      const assigned = { partnerId: partnerOf(command.partner).id, since: null, payPast: false, reason: "r" };
      await change({ ...by(), kind: "assign-customer", customerKey: this.key, ...assigned });
    } else if (command.kind === "import") {
      const row = { line: 1, customerKey: this.key, partnerCode: partnerOf(command.partner).code, since: undefined };
      const more = {
        payPast: false,
        firstSaleAt: command.isBuyer ? daysAgo(90) : undefined,
        subscriptionId: undefined,
      };
      await change({ ...by(), kind: "import-customers", source: "E", isDryRun: false, rows: [{ ...row, ...more }] });
    } else {
      const clicks = this.#shown(command.click);
      const shown = { clicks, clickId: clicks[0]?.clickId ?? null, sentClickId: clicks.length > 0 };
      const at = daysAgo(command.daysAgo);
      if (command.kind === "sale") {
        this.#sales += 1;
        const couponCodes = command.coupon ? ["ANNA"] : [];
        await calls.sale(`${this.key} ${this.#sales}`, at, { customerKey: this.key, ...shown, couponCodes });
      } else {
        const by = command.kind === "lead" ? "key" : "browser";
        await calls.ledger.submit(calls.leadTask(by, clicks, this.key, { occurredAt: at })).outcome;
      }
    }
  }

  #purchase(): Pick<SaleCall, "customerKey" | "clicks" | "clickId" | "sentClickId"> {
    this.#click ??= this.#shown(this.#asked)[0];
    const clicks = this.#click === undefined ? [] : [this.#click];
    return { customerKey: this.key, clicks, clickId: clicks[0]?.clickId ?? null, sentClickId: clicks.length > 0 };
  }

  async ask() {
    const { change, by, calls } = this.#shop;
    const { operationId } = by();
    const call: JudgeFirstSaleCall = {
      ...{ ...noDetails, kind: "judge-first-sale", operationId, at: now, isTest: false, key: calls.key },
      ...{ transactionId: ` ${operationId}`, amountCents: maxAmountCents, currency: null },
      ...{ occurredAt: now, sentOccurredAt: false, ...this.#purchase() },
    };
    const judged = await change(call);
    if (!judged.ok) throw new Error(JSON.stringify(judged));
    return judged.answer as { partner?: { code: string }; hasBought: boolean; reason?: string };
  }

  /** Records the sale. Also returns whether the customer had bought before. */
  async buy() {
    const { calls, world } = this.#shop;
    const sold = await calls.sale(`${this.key} bought`, now, { ...this.#purchase(), amountCents: 6_000 });
    const [row] = await world.rows(
      `select c.imported_first_sale_at is not null or
          (select count(*) from sales s where s.customer_id = c.id) > 1 as has_bought
        from sales o join customers c on c.id = o.customer_id where o.id = ?`,
      sold.saleId,
    );
    return { sold, hasBought: row?.has_bought === 1 };
  }
}

const stored = ["customers", "customer_clicks", "leads", "sales", "commissions", "ledger_entries", "events"];
const rowsIn = ({ world }: Shop) =>
  world.allRows(
    Object.fromEntries(
      stored.map((table) => [
        table,
        table === "customer_clicks"
          ? "select k.* from customer_clicks k join customers c on c.id = k.customer_id where c.program_id = ?"
          : `select * from ${table} where program_id = ?`,
      ]),
    ),
  );

test("a customer gets an offer exactly if a purchase right afterwards is attributed and earns, and asking for the offer stores nothing", async () => {
  const seen = new Set<string>();
  for (const [i, settings] of worlds.entries()) {
    const shop = await openShop(settings);
    const sampled = fc.sample(history, { numRuns: Math.ceil(histories / worlds.length), seed: i + 1 });
    const customers = await mapConcurrent(sampled, customersAtOnce, async ({ commands, click: asked }) => {
      const customer = new Customer(shop, asked);
      for (const each of commands) await customer.take(each);
      return { customer, commands, asked };
    });
    await shop.calls.maintain();
    const before = await rowsIn(shop);
    const answers = await mapConcurrent(customers, customersAtOnce, ({ customer }) => customer.ask());
    expect(await rowsIn(shop)).toEqual(before);
    for (const [n, { customer, commands, asked }] of customers.entries()) {
      const { partner: credited, hasBought, reason } = answers[n] ?? expect.unreachable();
      const { sold, hasBought: had } = await customer.buy();
      const story = JSON.stringify({ settings, commands, asked, reason, sold });
      expect(credited?.code, story).toBe(sold.partnerCode);
      expect(hasBought, story).toBe(had);
      const isEarning = sold.attributed && sold.commission.status !== "void";
      if (!hasBought) expect(reason === undefined, story).toBe(isEarning);
      if (!hasBought) expect(reason, story).toBe(sold.reason ?? sold.commission.reason);
      seen.add(hasBought ? "has_bought" : (reason ?? "given"));
    }
    expect(await shop.world.audit()).toEqual([]);
  }
  const reasons = ["no_click", "attribution_window_expired", "partner_inactive", "program_inactive"];
  const all = ["given", "has_bought", ...reasons, "currency_mismatch", "no_commission_policy"];
  expect([...seen]).toEqual(expect.arrayContaining(all));
});
