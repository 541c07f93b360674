import { dayMs } from "#domain/calendar.ts";
import type { World } from "../harness/world.ts";

const rowsAtOnce = 100_000;
const holdMs = 15 * dayMs;
const startedAt = Date.now();

export interface Stock {
  readonly clicks: number;
  readonly customers: number;
  readonly sales: number;
  readonly days: number;
  /** All inserted rows have ids above this number. */
  readonly base: number;
}

export const stockOf = (clicks: number, base: number): Stock => ({
  clicks,
  customers: clicks / 10,
  sales: (clicks * 3) / 100,
  days: 90,
  base,
});

export const customerKey = ({ base }: Stock, i: number): string => `customer-${base}-${i}`;
export const transactionId = ({ base }: Stock, i: number): string => `sold-${base}-${i}`;

/** Loads events in batches, spread evenly over the days and partners. The database's triggers count them. */
export async function load(world: World, stock: Stock): Promise<void> {
  const expressions = expressionsOf(world, stock);
  const end = Date.now() - 60_000;
  for (const table of [...clickTables(expressions), ...customerTables(expressions), ...saleTables(expressions)]) {
    await insert(world, table, { stock, end });
  }
}

interface Table {
  readonly name: string;
  readonly kind: "clicks" | "customers" | "sales";
  /** SQL by column, in which `i` counts from 1, `:at` is the row's time and `:day` its day. */
  readonly columns: Readonly<Record<string, string>>;
}

interface Span {
  readonly stock: Stock;
  /** The time of the newest row (ms). */
  readonly end: number;
}

async function insert({ write }: World, { name, kind, columns }: Table, { stock, end }: Span): Promise<void> {
  const total = stock[kind];
  const span = stock.days * dayMs;
  const at = `(${end} - (${total} - i) * ${span} / ${Math.max(total, 1)})`;
  const values = Object.values(columns).map((value) =>
    value.replaceAll(":at", at).replaceAll(":day", `strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch')`),
  );
  for (let from = 1; from <= total; from += rowsAtOnce) {
    const to = Math.min(from + rowsAtOnce - 1, total);
    await write(`
      insert into ${name} (${Object.keys(columns).join(", ")})
      with recursive series (i) as (select ${from} union all select i + 1 from series where i < ${to})
      select ${values.join(", ")} from series`);
  }
}

function expressionsOf({ programId, partners }: World, stock: Stock) {
  const { base } = stock;
  const ofPartner = (column: "id" | "linkId" | "code") =>
    `case i % ${partners.length} ${partners.map((partner, n) => `when ${n} then '${partner[column]}'`).join(" ")} end`;
  const partnerId = `cast(${ofPartner("id")} as integer)`;
  const clickId = `'bench-${base}-' || i`;
  const named = (name: (stock: Stock, i: number) => string) => `'${name(stock, 0).slice(0, -1)}' || i`;
  const id = `${base} + i`;
  const ofBook = { program_id: String(programId), is_test: "0" };
  const row = { id, ...ofBook, created_at: ":at" };
  return {
    stock,
    id,
    clickId,
    partnerId,
    partnerCode: ofPartner("code"),
    linkId: `cast(${ofPartner("linkId")} as integer)`,
    // Spread over the index, like the IDs that callers send.
    eventId: "printf('%08x', (i * 2654435761) % 4294967296)",
    transactionId: named(transactionId),
    customer: { customer_key: named(customerKey), click_id: clickId, partner_id: partnerId },
    ofBook,
    row,
    event: { ...row, occurred_at: ":at", day: ":day" },
  };
}
type Expressions = ReturnType<typeof expressionsOf>;

const clickTables = ({ stock, ofBook, event, clickId, eventId, linkId, partnerId }: Expressions): Table[] => [
  {
    name: "click_event_ids",
    kind: "clicks",
    columns: { ...ofBook, link_id: linkId, event_id: eventId, click_id: clickId, recorded_at: ":at" },
  },
  {
    name: "clicks",
    kind: "clicks",
    columns: {
      ...event,
      click_id: clickId,
      event_id: eventId,
      link_id: linkId,
      partner_id: partnerId,
      source: "'browser'",
      is_bot: "i % 50 = 0",
      is_prefetch: "0",
      visitor: `'${stock.base}-' || (i / 3)`,
      page_url: "'https://shop.example/pricing'",
      country: "'NL'",
      device_type: "'mobile'",
      os: "'iOS'",
      browser: "'Safari'",
    },
  },
];

const customerTables = ({ stock, id, row, event, customer, ...of }: Expressions): Table[] => [
  {
    name: "customers",
    kind: "customers",
    columns: {
      ...row,
      ...customer,
      source: "'click'",
      link_id: of.linkId,
      click_at: ":at",
      evidence: "'key'",
      model: "'last_click'",
      window_days: "60",
      window_until: "'lead'",
      click_age_days: "0",
      bound_at: ":at",
      bound_by: "'lead'",
      confirmed_at: ":at",
      first_sale_at: `iif(i <= ${stock.sales}, :at, null)`,
      first_attributed_sale_at: `iif(i <= ${stock.sales}, :at, null)`,
    },
  },
  {
    name: "customer_clicks",
    kind: "customers",
    columns: {
      customer_id: id,
      click_id: of.clickId,
      link_id: of.linkId,
      click_at: ":at",
      evidence: "'key'",
      is_nameless: "0",
      has_settled_in_browser: "0",
      shown_at: ":at",
    },
  },
  {
    name: "leads",
    kind: "customers",
    columns: {
      ...event,
      ...customer,
      operation_id: of.clickId,
      customer_id: id,
      is_provisional: "0",
      evidence: "'key'",
      partner_code: of.partnerCode,
      explanation: "'{}'",
    },
  },
];

const ofApproved = (value: string, otherwise = "null") =>
  `iif(:at + ${holdMs} <= ${startedAt}, ${value}, ${otherwise})`;

const saleTables = ({ id, row, event, partnerId, ...of }: Expressions): Table[] => [
  {
    name: "sales",
    kind: "sales",
    columns: {
      ...event,
      transaction_id: of.transactionId,
      operation_id: of.clickId,
      customer_id: id,
      amount_cents: "10000",
      currency: "'EUR'",
      sale_type: "'payment'",
      is_recurring: "0",
      partner_id: partnerId,
      partner_code: of.partnerCode,
      refunded_cents: "0",
    },
  },
  {
    name: "commissions",
    kind: "sales",
    columns: {
      ...row,
      sale_id: id,
      partner_id: partnerId,
      source: "'click'",
      // Already approved if due, so that the service has nothing left to approve.
      status: ofApproved("'approved'", "'pending'"),
      approved_at: ofApproved(`:at + ${holdMs}`),
      approved_by: ofApproved("'hold'"),
      payable_number: ofApproved(`(${id}) * 2 + 1`),
      is_unconfirmed: "0",
      initial_cents: "2000",
      amount_cents: "0",
      currency: "'EUR'",
      hold_until: `:at + ${holdMs}`,
      explanation: "'{}'",
    },
  },
  {
    name: "ledger_entries",
    kind: "sales",
    columns: {
      ...event,
      // Entries have even numbers. The odd numbers are for the approvals.
      id: `(${id}) * 2`,
      commission_id: id,
      partner_id: partnerId,
      kind: "'earned'",
      amount_cents: "2000",
      currency: "'EUR'",
    },
  },
];
