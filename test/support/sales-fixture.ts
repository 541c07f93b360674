import { randomUUID } from "node:crypto";
import { insist, type JsonObject, type RefundBody, type Reply, type SaleBody } from "../../harness/client.ts";
import { createWorld, type Partner, type World, type WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "./expect-ledger-consistent.ts";
import { at, daysAgo, type ProgramFixture, programFixture } from "./program-fixture.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

type Cell = string | number | null;
type Columns = Readonly<Record<string, Cell>>;

export interface SalesFixture extends ProgramFixture {
  /**
   * Attributes a customer to a partner by a click and a lead right after it. The default is a click on Alice's link a
   * day ago.
   */
  refer(customer_key: string, from?: { partner?: Partner; clickAt?: number }): Promise<void>;
  /** Records a sale. By default it has a new transaction id, 10.00, and customer "c1" unless it has a click. */
  sell(body?: JsonObject): Promise<Reply<SaleBody>>;
  giveBack(transaction_id: string, body?: JsonObject): Promise<Reply<RefundBody>>;
  row(sql: string, ...args: Cell[]): Promise<Columns>;
  saleRow(transactionId: string): Promise<Columns>;
  commission(commissionId: number): Promise<Columns>;
  entries(commissionId: number): Promise<[kind: string, amountCents: number][]>;
  /** The ledger entries, including those of 0 cents. `day` is in the program's time zone. */
  booked(): Promise<[partner: string, kind: string, amountCents: number, day: string][]>;
  /** Changes events or commissions, which the Ledger doesn't cache, directly in the database. */
  write(sql: string, ...args: Cell[]): Promise<void>;
  /** Writes an inconsistency. At the end of the test, the audit must report exactly the rules in `broken`. */
  forge(broken: readonly string[], sql: string, ...args: Cell[]): Promise<void>;
}

/** Checks the ledger at the end of the test. */
export async function createSalesFixture(settings: WorldSettings = {}): Promise<SalesFixture> {
  const world = await createWorld(sharedService.databaseUrl, { partners: [{}, {}], ...settings });
  expectConsistentInTheEnd(world);
  return salesFixture(programFixture(world, sharedApi()));
}

/**
 * Opens a program with one sale, "t", of 10.00. Its commission is 2.05 unless the sale is organic. Refunds through the
 * fixture must succeed.
 */
export async function soldOnce({
  isOrganic = false,
  policies = [{ rateBps: 2_050 }],
}: Pick<WorldSettings, "policies"> & { isOrganic?: boolean } = {}) {
  const shop = await createSalesFixture({ policies });
  if (!isOrganic) await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "t" });
  const giveBack = (request?: JsonObject) => shop.refund({ transaction_id: "t", ...request });
  return { shop, sale: body, giveBack };
}

/** Sends all calls at once, after ten other calls, so that many of them share a round (one batched commit). */
export async function allAtOnce<T>(count: number, send: (i: number) => Promise<T>): Promise<T[]> {
  const other = await createSalesFixture();
  const ahead = Array.from({ length: 10 }, (_, i) => other.sell({ customer_key: `c${i}` }));
  const replies = await Promise.all(Array.from({ length: count }, (_, i) => insist(() => send(i))));
  await Promise.all(ahead);
  return replies;
}

export function salesFixture(shop: ProgramFixture): SalesFixture {
  const { world, api, alice } = shop;
  const { key, programId } = world;
  const row: SalesFixture["row"] = async (sql, ...args) => {
    const found = await world.rows(sql, ...args);
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${found.length} rows: ${sql}`);
    return { ...only } as Columns;
  };
  return {
    ...shop,
    refer: async (customer_key, { partner = alice, clickAt = daysAgo(1) } = {}) => {
      await shop.lead({ customer_key, click_id: shop.click(partner, clickAt), occurred_at: at(clickAt) });
    },
    sell: (body = {}) => {
      const customer = body.click_id === undefined ? { customer_key: "c1" } : {};
      return api.sale({ transaction_id: randomUUID(), amount_cents: 1_000, ...customer, ...body }, { key });
    },
    giveBack: (transaction_id, body) => api.refund({ transaction_id, ...body }, { key }),
    row,
    saleRow: (transactionId) =>
      row("select * from sales where program_id = ? and transaction_id = ?", programId, transactionId),
    commission: (id) => row("select * from commissions where id = ?", id),
    entries: (commissionId) => entriesOf(world, commissionId),
    booked: async () => {
      const entries = await shop.all("ledger_entries");
      const nameOf = (id: unknown) => (id === alice.id ? "alice" : "bob");
      return entries.map((entry) => [
        nameOf(entry.partner_id),
        String(entry.kind),
        Number(entry.amount_cents),
        String(entry.day),
      ]);
    },
    write: (sql, ...args) => world.write({ sql, args }),
    forge: (broken, sql, ...args) => {
      for (const rule of broken) world.forged.add(rule);
      return world.write({ sql, args });
    },
  };
}

async function entriesOf({ rows }: World, commissionId: number): Promise<[string, number][]> {
  const entries = await rows(
    "select kind, amount_cents from ledger_entries where commission_id = ? order by id",
    commissionId,
  );
  return entries.map(({ kind, amount_cents }) => [String(kind), Number(amount_cents)]);
}
