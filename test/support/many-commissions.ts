import type { SalesFixture } from "./sales-fixture.ts";

interface Sold {
  readonly sale_id: number;
  readonly commission_id: number;
}

/**
 * Copies a sale and its commission in the database. The copies have 0 cents. Afterwards there are `count` sales,
 * including the first one. `changed` maps columns of the copied commissions to SQL expressions.
 */
export async function copyCommission(
  shop: SalesFixture,
  first: Sold,
  count: number,
  changed: Readonly<Record<string, string>> = {},
): Promise<void> {
  const base = 2 ** 47 + shop.world.programId;
  const copy = async (table: string, own: Readonly<Record<string, string>>) => {
    const replaced: Record<string, string> = { id: `${base} + n`, ...own };
    const { names } = await shop.row(`select group_concat(name, ',') as names from pragma_table_info('${table}')`);
    const columns = String(names).split(",");
    return { columns: columns.join(","), values: columns.map((name) => replaced[name] ?? name).join(",") };
  };
  const sales = await copy("sales", { transaction_id: "'copy-' || n", operation_id: "'copy-' || n" });
  const commissions = await copy("commissions", {
    sale_id: `${base} + n`,
    amount_cents: "0",
    initial_cents: "0",
    ...changed,
  });
  // Writes in several transactions, because the database ends a transaction after five seconds and other writers wait
  // for it.
  const atOnce = 10_000;
  for (let from = 1; from < count; from += atOnce) {
    const last = Math.min(from + atOnce, count) - 1;
    const numbers = `with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${last})`;
    await shop.world.write(
      {
        sql: `insert into sales (${sales.columns}) ${numbers} select ${sales.values} from sales, numbers where sales.id = ?`,
        args: [first.sale_id],
      },
      {
        sql: `insert into commissions (${commissions.columns}) ${numbers} select ${commissions.values} from commissions, numbers where commissions.id = ?`,
        args: [first.commission_id],
      },
    );
  }
}
