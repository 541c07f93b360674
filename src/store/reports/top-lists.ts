import { type SQL, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { isReplaced } from "../sales.ts";
import { readAll, unencoded } from "../statement.ts";

const dimensions = ["landingPages", "referrers", "countries", "devices"] as const;
type Dimension = (typeof dimensions)[number];

/** Only this many of the newest events of the period are counted, so that the read takes a bounded time. */
export const maxCounted = { clicks: 20_000, sales: 5_000 } as const;
const listLength = 10;

type Query = {
  programId: ProgramId;
  isTest: boolean;
  since: number;
  until: number;
  from: string;
  to: string;
  partnerId: PartnerId | null;
};

export interface TopRow {
  readonly dimension: Dimension | "counted";
  /** The value by which events are grouped. Null if it is unknown. */
  readonly value: string | null;
  readonly clicks: number;
  readonly sales: number;
}

const inPeriod = (alias: "c" | "s"): SQL => {
  const column = (name: string) => sql.raw(`${alias}.${name}`);
  return sql`${column("program_id")} = ${unencoded("programId")} and ${column("is_test")} = ${unencoded("isTest")}
    and ${column("occurred_at")} >= ${unencoded("since")} and ${column("occurred_at")} <= ${unencoded("until")}
    and (${unencoded("partnerId")} is null or ${column("partner_id")} = ${unencoded("partnerId")})
    and ${column("day")} between ${unencoded("from")} and ${unencoded("to")}`;
};

const afterScheme = (url: string) => `substr(${url}, instr(${url}, '//') + 2)`;
const upTo = (mark: string, text: string) => `substr(${text}, 1, instr(${text} || '${mark}', '${mark}') - 1)`;

/** A page is shown without its query, and a referrer only as its host. */
const described = sql.raw(`
  ${afterScheme(upTo("?", "c.page_url"))} as landingPages,
  ${upTo("/", afterScheme("c.referrer_url"))} as referrers,
  c.country as countries,
  c.device_type as devices`);

const listOf = (dimension: Dimension): SQL => {
  const name = sql.raw(dimension);
  return sql`select * from (
    select ${sql.raw(`'${dimension}'`)} as dimension, ${name} as value, sum(clicks) as clicks, sum(sales) as sales
    from events group by ${name} order by clicks desc, sales desc, value limit ${sql.raw(String(listLength))})`;
};

const lists = sql`(
  with events as materialized (
    select * from (select ${described}, 1 as clicks, 0 as sales from clicks c
      where ${inPeriod("c")} and c.is_bot = 0 and c.is_prefetch = 0
      order by c.occurred_at desc limit ${sql.raw(String(maxCounted.clicks))})
    union all
    select ${described}, 0, 1
    from (select s.customer_id, s.partner_id, s.program_id from sales s
      where ${inPeriod("s")} and s.partner_id is not null and not ${isReplaced}
      order by s.occurred_at desc limit ${sql.raw(String(maxCounted.sales))}) sold
    join customers u on u.id = sold.customer_id
    left join clicks c on c.click_id = iif(u.partner_id = sold.partner_id, u.click_id, null)
      and c.program_id = sold.program_id)
  ${sql.join(dimensions.map(listOf), sql` union all `)}
  union all select 'counted', null, coalesce(sum(clicks), 0), coalesce(sum(sales), 0) from events) as top`;

/** Returns the rows of each dimension, most clicks first, and the numbers of clicks and sales that were counted. */
export const topLists = readAll<Query, TopRow>((db) =>
  db
    .select({
      dimension: sql<TopRow["dimension"]>`top.dimension`,
      value: sql<string | null>`top.value`,
      clicks: sql<number>`top.clicks`,
      sales: sql<number>`top.sales`,
    })
    .from(lists),
);
