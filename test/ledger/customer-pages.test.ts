import { expect, it } from "vitest";
import { commissions } from "#store/schema/commissions.ts";
import { customers } from "#store/schema/customers.ts";
import { sales } from "#store/schema/sales.ts";
import { type CustomerFilter, type CustomerView, firstCustomer, listCustomers } from "#store/views/customers.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { copiesOf } from "../support/copies.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

/** The maximum number of rows that a page reads here: 10,000 rows of customers and their sales, and 100 other rows. */
const most = 10_100;
const size = 50;

interface Shop {
  readonly world: World;
  readonly firstId: number;
  readonly saleId: number;
  readonly commissionId: number;
}

async function openShop(): Promise<Shop> {
  const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ rateBps: 2_000 }] });
  const { lead, sale, click } = callsOf(world, own.server.url);
  await lead("key", [click(world.partner, daysAgo(9))], "first");
  await sale("t", daysAgo(2), { customerKey: "first" });
  const [row] = await world.rows(
    `select u.id, s.id as sale, c.id as commission from customers u join sales s on s.customer_id = u.id
     join commissions c on c.sale_id = s.id where u.program_id = ?`,
    world.programId,
  );
  return { world, firstId: Number(row?.id), saleId: Number(row?.sale), commissionId: Number(row?.commission) };
}

/** The customers' ids are `base` + 1, `base` + 1 + `gap`, and so on. */
const addCustomers = ({ world, firstId }: Shop, count: number, base: number, gap = 1) =>
  world.write(
    copiesOf(customers, firstId, count, {
      ...{ id: `${base} + 1 + (v - 1) * ${gap}`, customer_key: `'c' || (${base} + v)`, first_sale_at: "null" },
      ...{ first_attributed_sale_at: "null", created_at: "created_at + v" },
    }),
  );

const addSales = ({ world, saleId, commissionId }: Shop, customerId: number, count: number, base: number) =>
  world.write(
    copiesOf(sales, saleId, count, {
      ...{ id: `${base} + v`, transaction_id: `'t' || (${base} + v)`, customer_id: String(customerId) },
    }),
    copiesOf(commissions, commissionId, count, { id: `${base} + v`, sale_id: `${base} + v`, amount_cents: "7" }),
  );

interface Listed {
  readonly rows: readonly CustomerView[];
  readonly pages: readonly { readonly length: number; readonly read: number; readonly requests: number }[];
}

async function listed({ world }: Shop, filter: CustomerFilter = {}): Promise<Listed> {
  const rows: CustomerView[] = [];
  const pages: Listed["pages"][number][] = [];
  let after: typeof firstCustomer | undefined = firstCustomer;
  while (after !== undefined) {
    own.proxy.resetCounts();
    const database = databaseAt(own.proxy.url);
    const page = await listCustomers(database, { programId: world.programId, isTest: false }, filter, { after, size });
    pages.push({ length: page.rows.length, read: own.proxy.counts.rows, requests: database.roundTrips });
    rows.push(...page.rows);
    after = page.next;
  }
  for (const page of pages) {
    expect(page.read).toBeLessThanOrEqual(most);
    expect(page.requests).toBeLessThanOrEqual(2);
  }
  return { rows, pages };
}

const idsOf = ({ rows }: Listed) => rows.map(({ id }) => id);
const range = (count: number, first: number, gap = 1) => Array.from({ length: count }, (_, i) => first + i * gap);

let base = 2 ** 40;
const nextBase = (): number => {
  base += 2 ** 30;
  return base;
};

it("the pages of a list of a program's few customers are full, even among many customers of other programs", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const at = nextBase();
  await addCustomers(shop, 120, at, 1_000);
  await addCustomers(other, 20_000, at + 200_000);
  const found = await listed(shop);
  expect(idsOf(found)).toEqual([...range(120, at + 1, 1_000).toReversed(), shop.firstId]);
  expect(found.pages.map(({ length }) => length)).toEqual([50, 50, 21]);
});

it("a list has each of many customers once, newest first, even if other programs' customers make its pages short", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const at = nextBase();
  await addCustomers(shop, 2_000, at, 2);
  await addCustomers(other, 2_000, at + 1, 2);
  await addCustomers(other, 10_000, at + 5_000);
  await addCustomers(shop, 10, nextBase());
  const found = await listed(shop);
  expect(idsOf(found)).toEqual([
    ...range(10, base + 1).toReversed(),
    ...range(2_000, at + 1, 2).toReversed(),
    shop.firstId,
  ]);
  expect(found.pages.some(({ length }) => length < size)).toBe(true);
});

it("a filter with few hits among many customers reads the customers in parts, and finds all hits", async () => {
  const shop = await openShop();
  const at = nextBase();
  await addCustomers(shop, 7_000, at);
  const [bob] = [shop.world.partners[1]];
  await shop.world.write({
    sql: "update customers set partner_id = ?, link_id = ? where id in (?, ?)",
    args: [bob?.id ?? 0, bob?.linkId ?? 0, at + 3, at + 6_900],
  });
  expect(idsOf(await listed(shop, { codeKey: bob?.code.toLowerCase() }))).toEqual([at + 6_900, at + 3]);
  expect(idsOf(await listed(shop, { hasSale: true }))).toEqual([shop.firstId]);
  expect(idsOf(await listed(shop, { customerKey: `c${at + 3}` }))).toEqual([at + 3]);
  const text = { q: `c${at + 5}`.slice(0, -3), address: undefined, emailHash: undefined };
  const keys = (await listed(shop, { text })).rows.map(({ customerKey }) => customerKey ?? "");
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.every((key) => key.startsWith(text.q))).toBe(true);
  const all = { q: "c", address: undefined, emailHash: undefined };
  expect((await listed(shop, { text: all })).rows).toHaveLength(7_000);
});

it("customers with many sales make pages short, and customers with more than 10,000 sales have no sums", async () => {
  const shop = await openShop();
  const at = nextBase();
  await addCustomers(shop, 8, at);
  await addSales(shop, at + 2, 10_001, nextBase());
  for (const id of [3, 4, 5]) await addSales(shop, at + id, 290, nextBase());
  const sums = (count: number) => [
    {
      ...{ currency: "EUR", isAttributed: 1, sales: count, refundedCents: 0, commissionCents: 7 * count },
      amountCents: expect.any(Number),
    },
  ];
  const { rows, pages } = await listed(shop);
  expect(pages.map(({ length }) => length).filter((length) => length > 0)).toEqual([4, 1, 1, 1, 1, 1]);
  expect(rows.map(({ id, sums: found }) => [id, found])).toEqual([
    [at + 8, []],
    [at + 7, []],
    [at + 6, []],
    ...[5, 4, 3].map((id) => [at + id, sums(290)]),
    [at + 2, null],
    [at + 1, []],
    [shop.firstId, [expect.objectContaining({ sales: 1 })]],
  ]);
});
