import type { World } from "../test/support/world.ts";

const rowsAtOnce = 100_000;
const holdMs = 15 * 24 * 3_600_000;

export interface Stock {
  readonly clicks: number;
  /** Each with a lead; numbered from 1, as `customerKey` names them. */
  readonly customers: number;
  /** Of the first customers, one each; `transactionId` names them. */
  readonly sales: number;
  /** Over how many days up to now all of it has happened. */
  readonly days: number;
  /** Before the first id of each table. */
  readonly base: number;
}

/** Of so many clicks one in ten signs up, and three in a hundred buy. */
export const stockOf = (clicks: number, base: number): Stock => ({
  clicks,
  customers: clicks / 10,
  sales: (clicks * 3) / 100,
  days: 90,
  base,
});

export const customerKey = ({ base }: Stock, i: number): string => `customer-${base}-${i}`;
export const transactionId = ({ base }: Stock, i: number): string => `sold-${base}-${i}`;

/** Events by the hundred thousand, evenly over the days and partners, counted by the database's own triggers. */
export async function load({ programId, partners, write }: World, stock: Stock): Promise<void> {
  const { base } = stock;
  const end = Date.now() - 60_000;
  const span = stock.days * 24 * 3_600_000;
  const ofPartner = (column: "id" | "linkId" | "code") =>
    `case i % ${partners.length} ${partners.map((partner, n) => `when ${n} then '${partner[column]}'`).join(" ")} end`;
  const partnerId = `cast(${ofPartner("id")} as integer)`;
  const linkId = `cast(${ofPartner("linkId")} as integer)`;
  // Spread over the index, as the ids that callers make are.
  const eventId = "printf('%08x', (i * 2654435761) % 4294967296)";
  const clickId = `'bench-${base}-' || i`;
  const named = (name: (stock: Stock, i: number) => string) => `'${name(stock, 0).slice(0, -1)}' || i`;

  const insert = async (table: string, total: number, columns: Readonly<Record<string, string>>) => {
    const at = `(${end} - (${total} - i) * ${span} / ${Math.max(total, 1)})`;
    const values = Object.values(columns).map((value) =>
      value.replaceAll(":at", at).replaceAll(":day", `strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch')`),
    );
    for (let from = 1; from <= total; from += rowsAtOnce) {
      const to = Math.min(from + rowsAtOnce - 1, total);
      await write(`
        insert into ${table} (${Object.keys(columns).join(", ")})
        with recursive series (i) as (select ${from} union all select i + 1 from series where i < ${to})
        select ${values.join(", ")} from series`);
    }
  };

  const ofBook = { program_id: String(programId), is_test: "0" };
  const row = { id: `${base} + i`, ...ofBook, created_at: ":at" };
  const event = { ...row, occurred_at: ":at", day: ":day" };
  await insert("click_event_ids", stock.clicks, {
    ...ofBook,
    link_id: linkId,
    event_id: eventId,
    click_id: clickId,
    recorded_at: ":at",
  });
  await insert("clicks", stock.clicks, {
    ...event,
    click_id: clickId,
    event_id: eventId,
    link_id: linkId,
    partner_id: partnerId,
    source: "'browser'",
    is_bot: "i % 50 = 0",
    is_prefetch: "0",
    visitor: `'${base}-' || (i / 3)`,
    page_url: "'https://shop.example/pricing'",
    country: "'NL'",
    device_type: "'mobile'",
    os: "'iOS'",
    browser: "'Safari'",
  });
  const customer = { customer_key: named(customerKey), click_id: clickId, partner_id: partnerId };
  const sold = `i <= ${stock.sales}`;
  await insert("customers", stock.customers, {
    ...row,
    ...customer,
    link_id: linkId,
    click_at: ":at",
    evidence: "'key'",
    model: "'last_click'",
    window_days: "60",
    click_age_days: "0",
    first_sale_at: `iif(${sold}, :at, null)`,
    first_attributed_sale_at: `iif(${sold}, :at, null)`,
  });
  await insert("customer_clicks", stock.customers, {
    customer_id: `${base} + i`,
    click_id: clickId,
    link_id: linkId,
    click_at: ":at",
    evidence: "'key'",
    is_nameless: "0",
    has_settled_in_browser: "0",
  });
  await insert("leads", stock.customers, {
    ...event,
    ...customer,
    operation_id: clickId,
    customer_id: `${base} + i`,
    is_provisional: "0",
    evidence: "'key'",
    partner_code: ofPartner("code"),
  });
  await insert("sales", stock.sales, {
    ...event,
    transaction_id: named(transactionId),
    operation_id: clickId,
    customer_id: `${base} + i`,
    amount_cents: "10000",
    currency: "'EUR'",
    sale_type: "'payment'",
    is_recurring: "0",
    partner_id: partnerId,
    partner_code: ofPartner("code"),
    refunded_cents: "0",
  });
  await insert("commissions", stock.sales, {
    ...row,
    sale_id: `${base} + i`,
    partner_id: partnerId,
    // Already approved if due, so that the service has nothing to do about it.
    status: `iif(:at + ${holdMs} <= ${Date.now()}, 'approved', 'pending')`,
    is_unconfirmed: "0",
    initial_cents: "2000",
    amount_cents: "0",
    currency: "'EUR'",
    hold_until: `:at + ${holdMs}`,
    explanation: "'{}'",
  });
  await insert("ledger_entries", stock.sales, {
    ...event,
    commission_id: `${base} + i`,
    partner_id: partnerId,
    kind: "'earned'",
    amount_cents: "2000",
    currency: "'EUR'",
  });
}
