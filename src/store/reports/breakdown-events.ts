import { type SQL, sql } from "drizzle-orm";
import {
  type BreakdownQuery,
  type CountedEvents,
  type Filtering,
  filterings,
  type GroupFigures,
  type Grouping,
  removedValue,
  withoutValue,
} from "#domain/breakdown.ts";
import type { ProgramId } from "#domain/ids.ts";
import { isReplaced } from "../sales.ts";
import { readAll, unencoded } from "../statement.ts";

/**
 * Kinds of rows that a breakdown counts. `earned`, `reversed` and `rejected` are ledger entries: `earned` includes the
 * entries that move a commission to another partner, and `reversed` all entries of refunds.
 */
export type Feed = "clicks" | "leads" | "sales" | "earned" | "refunds" | "reversed" | "rejected";

export type Position = {
  /** Instant of the row (ms). */
  readonly at: number;
  readonly id: number;
};

/** The fields named in `Filtering` are filters, each with a value as the rows have it. Null matches all events. */
export type AskedEvents = {
  programId: ProgramId;
  currency: string;
  since: string;
  from: string;
  to: string;
} & { [Name in Filtering]: string | null };

type Between = AskedEvents & { fromAt: number; fromId: number; toAt: number; toId: number };

type Values = Readonly<Record<Grouping, SQL>>;

const none = sql.raw(`'${withoutValue}'`);
const unknown = sql.raw(`'${removedValue}'`);
const orNone = (value: SQL): SQL => sql`coalesce(nullif(${value}, ''), ${none})`;

/**
 * Stored URLs begin with an origin and a slash. SQLite computes these expressions for every row, so they repeat few
 * parts of the URL.
 */
const pathOf = (url: string): string => {
  const start = `(instr(substr(${url}, 9), '/') + 8)`;
  return `substr(${url}, ${start}, instr(${url} || '?', '?') - ${start})`;
};
const textAfter = (start: string, end: string, url: string): string =>
  `substr(${url}, ${start}, instr(substr(${url}, ${start}) || '${end}', '${end}') - 1)`;
const hostOf = (url: string): string => textAfter(`instr(${url}, '//') + 2`, "/", url);
const campaignOf = (url: string): string => {
  const found = (before: string) => `nullif(instr(${url}, '${before}utm_campaign='), 0)`;
  return textAfter(`coalesce(${found("?")}, ${found("&")}) + ${"?utm_campaign=".length}`, "&", url);
};

/** Values that are computed from the click row alone. */
const visitOf = (click: string) => ({
  country: sql.raw(`${click}.country`),
  device: sql.raw(`${click}.device_type`),
  referrer_host: sql.raw(hostOf(`${click}.referrer_url`)),
  landing_path: sql.raw(pathOf(`${click}.page_url`)),
  campaign: sql.raw(campaignOf(`${click}.page_url`)),
});
type Visit = ReturnType<typeof visitOf>;
const visitNames = ["country", "device", "referrer_host", "landing_path", "campaign"] as const;

/**
 * Leads and sales get these values from their click. Sales are joined with it only if one of the values is requested.
 * If retention removed the click, a sale's sub-id is still known from its commission, but the other values aren't.
 */
const clickNames = [...visitNames, "sub"] as const;
const isByClick = (name: Grouping): boolean => clickNames.some((known) => known === name);

export const needsClicks = ({ groupBy, filters }: Pick<BreakdownQuery, "groupBy" | "filters">): boolean =>
  isByClick(groupBy) || clickNames.some((name) => filters[name] !== undefined);

const visits = (of: (value: SQL) => SQL, click: string): Pick<Values, keyof Visit> => {
  const visit = visitOf(click);
  return {
    country: of(visit.country),
    device: of(visit.device),
    referrer_host: of(visit.referrer_host),
    landing_path: of(visit.landing_path),
    campaign: of(visit.campaign),
  };
};

const timeOf = (day: string): Pick<Values, "month" | "day"> => ({
  month: sql.raw(`substr(${day}, 1, 7)`),
  day: sql.raw(day),
});

const partnerOf = (id: string): SQL => sql.raw(`cast(${id} as text)`);

const ofClick: Values = {
  partner: partnerOf("c.partner_id"),
  code: sql`coalesce((select l.code from referral_links l where l.id = c.link_id), ${none})`,
  sub: orNone(sql.raw("c.sub")),
  source: sql.raw("'click'"),
  coupon: none,
  ...visits(orNone, "c"),
  ...timeOf("c.day"),
};

/** A value of the joined click `k`. It is "removed" if retention has deleted the click. */
const byClick =
  (condition: string) =>
  (value: SQL): SQL =>
    sql`iif(${sql.raw(condition)}, iif(k.id is null, ${unknown}, ${orNone(value)}), ${none})`;

const leadIsByClick = "u.partner_id = l.partner_id and u.source = 'click'";

const ofLead: Values = {
  partner: partnerOf("l.partner_id"),
  code: orNone(sql.raw("l.partner_code")),
  sub: byClick(leadIsByClick)(sql.raw("k.sub")),
  source: orNone(sql.raw("iif(u.partner_id = l.partner_id, u.source, null)")),
  coupon: none,
  ...visits(byClick(leadIsByClick), "k"),
  ...timeOf("l.day"),
};

/**
 * The first code of the coupon that credited the sale. The call may have sent another code of this coupon, and other
 * coupons.
 */
const couponOfSale = sql.raw(`(
  select d.code from json_each(s.coupons) j join coupon_codes d on d.coupon_id = j.value ->> 'couponId'
  where j.value ->> 'state' = 'valid' order by j.key, d.position limit 1)`);

const saleIsByClick = "m.source = 'click'";

/** The values of the sale `s` with its commission `m`. */
const ofSale = (partnerId: string, day: string): Values => ({
  partner: partnerOf(partnerId),
  code: orNone(sql.raw("s.partner_code")),
  sub: sql`iif(${sql.raw(saleIsByClick)}, coalesce(m.sub, iif(k.id is null, ${unknown}, ${none})), ${none})`,
  source: orNone(sql.raw("m.source")),
  coupon: orNone(couponOfSale),
  ...visits(byClick(saleIsByClick), "k"),
  ...timeOf(day),
});

/**
 * The values of a ledger entry. If the entry belongs to a former partner of the sale, it has only partner, month and
 * day, because the current click isn't that partner's.
 */
function ofEntry(): Values {
  const { partner, month, day, ...others } = ofSale("e.partner_id", "e.day");
  const own = (value: SQL) => sql`iif(e.partner_id is s.partner_id, ${value}, ${none})`;
  return {
    partner,
    month,
    day,
    code: own(others.code),
    sub: own(others.sub),
    source: own(others.source),
    coupon: own(others.coupon),
    country: own(others.country),
    device: own(others.device),
    referrer_host: own(others.referrer_host),
    landing_path: own(others.landing_path),
    campaign: own(others.campaign),
  };
}

const clickBy = (id: string, program: string) =>
  `left join clicks k on k.click_id = ${id} and k.program_id = ${program} and k.is_test = 0`;
const noClick = "left join (select null as id) k on true";

interface Counting {
  /** Returns the SQL of the rows. Sales, refunds and entries are joined with their clicks only if `clicks` is true. */
  readonly rows: (clicks: boolean) => string;
  readonly alias: string;
  readonly values: Values;
  readonly partner: string;
  readonly day: string;
  readonly where?: SQL;
  readonly counts: Partial<Readonly<Record<keyof GroupFigures, string | SQL>>>;
}

const inCurrency = (alias: string, amount: string): SQL =>
  sql`sum(iif(${sql.raw(alias)}.currency = ${unencoded("currency")}, ${sql.raw(amount)}, 0))`;

const clickOfSale = clickBy(`iif(${saleIsByClick}, m.explanation ->> '$.click.id', null)`, "s.program_id");

const entries = { values: ofEntry(), partner: "e.partner_id", day: "e.day" };
const earnings = { commissionCents: inCurrency("e", "e.amount_cents") };

const feeds: Readonly<Record<Feed, Counting>> = {
  clicks: {
    rows: () => "clicks c",
    alias: "c",
    values: ofClick,
    partner: "c.partner_id",
    day: "c.day",
    where: sql`c.is_bot = 0 and c.is_prefetch = 0`,
    counts: { clicks: "count(*)" },
  },
  leads: {
    rows: () =>
      `leads l left join customers u on u.id = l.customer_id ${clickBy(`iif(${leadIsByClick}, u.click_id, null)`, "l.program_id")}`,
    alias: "l",
    values: ofLead,
    partner: "l.partner_id",
    day: "l.day",
    counts: { leads: "count(*)" },
  },
  sales: {
    rows: (clicks) => `sales s cross join commissions m on m.sale_id = s.id ${clicks ? clickOfSale : noClick}`,
    alias: "s",
    values: ofSale("s.partner_id", "s.day"),
    partner: "s.partner_id",
    day: "s.day",
    where: sql`not ${isReplaced}`,
    counts: { sales: "count(*)", revenueCents: inCurrency("s", "s.amount_cents") },
  },
  earned: {
    rows: (clicks) => `sales s cross join commissions m on m.sale_id = s.id
      cross join ledger_entries e on e.commission_id = m.id ${clicks ? clickOfSale : noClick}`,
    alias: "s",
    ...entries,
    where: sql`e.kind in ('earned', 'moved') and not ${isReplaced}`,
    counts: earnings,
  },
  refunds: {
    rows: (clicks) => `refunds r cross join sales s on s.id = r.sale_id
      cross join commissions m on m.sale_id = s.id ${clicks ? clickOfSale : noClick}`,
    alias: "r",
    values: ofSale("r.partner_id", "r.day"),
    partner: "r.partner_id",
    day: "r.day",
    where: sql`r.counted_cents > 0 and not ${isReplaced}`,
    counts: { refunds: "count(*)", refundedCents: inCurrency("r", "r.counted_cents") },
  },
  reversed: {
    rows: (clicks) => `refunds r cross join ledger_entries e on e.refund_id = r.id
      cross join sales s on s.id = r.sale_id cross join commissions m on m.sale_id = s.id ${clicks ? clickOfSale : noClick}`,
    alias: "r",
    ...entries,
    where: sql`not ${isReplaced}`,
    counts: earnings,
  },
  rejected: {
    rows: (clicks) => `ledger_entries e cross join commissions m on m.id = e.commission_id
      cross join sales s on s.id = m.sale_id ${clicks ? clickOfSale : noClick}`,
    alias: "e",
    ...entries,
    where: sql`e.kind = 'rejected'`,
    counts: earnings,
  },
};

const filtered = (values: Values, names: readonly Filtering[]): SQL =>
  sql.join(
    names.map((name) => sql` and (${unencoded(name)} is null or ${values[name]} = ${unencoded(name)})`),
    sql``,
  );

/** For events, the index includes the partner's id, so SQLite doesn't read rows of other partners. */
const ofPartner = (id: string): SQL =>
  sql`(${unencoded("partner")} is null or ${sql.raw(id)} = cast(${unencoded("partner")} as integer))`;

const figure = (count: string | SQL | undefined): SQL<bigint> =>
  (typeof count === "string" ? sql.raw(count) : (count ?? sql.raw("0"))).mapWith(BigInt) as SQL<bigint>;

const betweenPositions = (feed: Feed, alias: string): SQL => {
  const t = (name: string) => sql.raw(`${alias}.${name}`);
  if (feed === "rejected") return sql`${t("id")} > ${unencoded("fromId")} and ${t("id")} <= ${unencoded("toId")}`;
  return sql`${t("occurred_at")} >= ${unencoded("fromAt")} and ${t("occurred_at")} <= ${unencoded("toAt")}
    and (${t("occurred_at")} > ${unencoded("fromAt")} or ${t("id")} > ${unencoded("fromId")})
    and (${t("occurred_at")} < ${unencoded("toAt")} or ${t("id")} <= ${unencoded("toId")})`;
};

type Row = Omit<Required<CountedEvents["figures"]>, "uniqueClicks"> & Pick<CountedEvents, "value" | "isNow">;

function compiled(feed: Feed, groupBy: Grouping, clicks: boolean) {
  const { rows, alias, values, partner, day, where = sql.raw("true"), counts } = feeds[feed];
  const names = filterings.filter((name) => name !== "partner" && (clicks || !isByClick(name)));
  return readAll<Between, Row>((db) =>
    db
      .select({
        value: sql<string>`${values[groupBy]}`,
        isNow: sql<boolean>`${sql.raw(day)} >= ${unencoded("from")}`.mapWith(Boolean),
        clicks: figure(counts.clicks),
        leads: figure(counts.leads),
        sales: figure(counts.sales),
        refunds: figure(counts.refunds),
        revenueCents: figure(counts.revenueCents),
        refundedCents: figure(counts.refundedCents),
        commissionCents: figure(counts.commissionCents),
      })
      .from(sql.raw(rows(clicks)))
      .where(
        sql`${sql.raw(alias)}.program_id = ${unencoded("programId")} and ${sql.raw(alias)}.is_test = 0
          and ${betweenPositions(feed, alias)} and ${sql.raw(partner)} is not null and ${ofPartner(partner)}
          and ${sql.raw(day)} between ${unencoded("since")} and ${unencoded("to")} and ${where}${filtered(values, names)}`,
      )
      .groupBy(sql`1, 2`),
  );
}

type Counted = (asked: Between) => ReturnType<ReturnType<typeof compiled>>;
const statements = new Map<string, Counted>();

/** Returns the counts and amounts of the rows between two positions of the event feed, by group. */
export function countedRows(feed: Feed, groupBy: Grouping, clicks: boolean) {
  const name = `${feed} ${groupBy} ${clicks}`;
  const known = statements.get(name) ?? compiled(feed, groupBy, clicks);
  statements.set(name, known);
  return (asked: Between) => {
    const read = known(asked);
    return { ...read, decode: (rows: Parameters<typeof read.decode>[0]) => read.decode(rows).map(asCounted) };
  };
}

const asCounted = ({ value, isNow, ...figures }: Row): CountedEvents => ({ value, isNow, figures });

const ofRemoved: Values = {
  partner: partnerOf("r.partner_id"),
  code: unknown,
  sub: unknown,
  source: ofClick.source,
  coupon: none,
  country: unknown,
  device: unknown,
  referrer_host: unknown,
  landing_path: unknown,
  campaign: unknown,
  ...timeOf("r.day"),
};

/** Counts clicks that retention has removed. Only their day and partner are still known. */
export const removedRows = (groupBy: Grouping) => {
  const removed = removedStatements.get(groupBy) ?? compiledRemoved(groupBy);
  removedStatements.set(groupBy, removed);
  return (asked: AskedEvents) => {
    const read = removed(asked);
    return { ...read, decode: (rows: Parameters<typeof read.decode>[0]) => read.decode(rows).map(asRemoved) };
  };
};

type Removed = Pick<CountedEvents, "value" | "isNow"> & { readonly clicks: bigint };

const asRemoved = ({ value, isNow, clicks }: Removed): CountedEvents => ({ value, isNow, figures: { clicks } });

const compiledRemoved = (groupBy: Grouping) =>
  readAll<AskedEvents, Removed>((db) =>
    db
      .select({
        value: sql<string>`${ofRemoved[groupBy]}`,
        isNow: sql<boolean>`r.day >= ${unencoded("from")}`.mapWith(Boolean),
        clicks: figure("sum(r.clicks)"),
      })
      .from(sql`removed_clicks r`)
      .where(
        sql`r.program_id = ${unencoded("programId")} and r.is_test = 0 and r.partner_id > 0
          and r.day between ${unencoded("since")} and ${unencoded("to")}${filtered(ofRemoved, filterings)}`,
      )
      .groupBy(sql`1, 2`),
  );

const removedStatements = new Map<Grouping, ReturnType<typeof compiledRemoved>>();
