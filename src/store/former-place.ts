import { type SQL, sql } from "drizzle-orm";
import type { CustomerId, PartnerId, ProgramId, SaleId } from "#domain/ids.ts";
import { isReplacedBy } from "./sales.ts";
import { largestInteger } from "./schema/columns.ts";
import { commissions } from "./schema/commissions.ts";
import { customers } from "./schema/customers.ts";
import { sales } from "./schema/sales.ts";
import { readAll, readFirst, unencoded } from "./statement.ts";

/**
 * A policy with scope `one_time` pays a partner for only one sale of a customer: the sale that has the partner's
 * `one_time` place. A search for this place reads at most this many of the customer's sales before a given sale, and
 * as many after it. A correction reads fewer, because it reads many other rows too.
 */
const most = { correction: 50, refund: 500 };

/** A search for a partner's first sale to a customer reads at most this many of the customer's first sales. */
const mostSearched = sql.raw("50");

/** The most rows that `formerPlaceOf` reads. */
export const rowsOfFormerPlace = 4 * most.refund;

/**
 * For sale `o`, its customer `u`, and another sale `s` of the customer: true if `s` is from before the customer's
 * current attribution, or if the customer is attributed to the partner of `o` now.
 */
const isBeforeAttribution = (s: SQL): SQL => sql`(u.partner_id = o.partner_id or ${s}.occurred_at < u.since)`;

const isOtherOfPartner = (s: SQL): SQL =>
  sql`${s}.partner_id = o.partner_id and ${s}.id <> o.id and not ${isReplacedBy(s)}`;

/** True if no other sale had the `one_time` place of the partner when commission `c` was decided. */
const foundPlaceFree = sql`coalesce(c.explanation ->> '$.past.isOneTimeTaken', 0) = 0`;

/** True if commission `c` took its partner's `one_time` place when it was decided, and still has it. */
const hasPlace = sql`(
  c.status not in ('void', 'reversed') or (c.status = 'reversed' and c.approved_at is not null)
) and ${foundPlaceFree}`;

/** The customer's sales on one side of sale `o`, nearest first. The last row only shows that there are more sales. */
const nearest = (isOnSide: SQL, order: SQL, limit: number): SQL => sql`
  select *, row_number() over () as n from (
    select s.* from ${sales} s where s.customer_id = o.customer_id and s.occurred_at ${isOnSide}
    order by s.occurred_at ${order} limit ${sql.raw(String(limit + 1))}
  )`;

const s = sql.raw("s");
const found = sql.raw("found");

/**
 * For sale `o`: true if another of the customer's sales with the same partner has the `one_time` place. If there are
 * too many sales to search, the place counts as taken, so that a partner never earns it twice.
 */
const isPlaceTaken = (limit: number, condition = (_sale: SQL) => sql`1 = 1`) =>
  sql<boolean>`exists (
    select 1 from (
      ${nearest(sql`>= o.occurred_at`, sql`asc`, limit)} union all ${nearest(sql`< o.occurred_at`, sql`desc`, limit)}
    ) found cross join ${commissions} c on c.sale_id = found.id
    where found.n > ${sql.raw(String(limit))}
      or (${condition(found)} and ${hasPlace} and ${isOtherOfPartner(found)})
  )`.mapWith(Boolean);

interface OthersOfPartner {
  /** The instant (ms) of the partner's first other sale to the customer. Null if the search didn't find one. */
  readonly firstAt: number | null;
  /** True if the customer has more sales than the search for the partner's first sale has read. */
  readonly hasMore: boolean;
  /** True if another of the partner's sales to the customer earned the `one_time` commission. */
  readonly hasOneTime: boolean;
}

/** For a sale from before the customer's current attribution: the customer's other sales with the same partner. */
export const othersOfPartner = readFirst<{ programId: ProgramId; saleId: SaleId }, OthersOfPartner>((db) =>
  db
    .select({
      firstAt: sql<number | null>`(
        select s.occurred_at from ${sales} s
        where s.customer_id = o.customer_id and s.occurred_at < coalesce(only_sale.unsearched_from, ${largestInteger})
          and ${isBeforeAttribution(s)} and ${isOtherOfPartner(s)}
        order by s.occurred_at limit 1)`,
      hasMore: sql<boolean>`only_sale.unsearched_from is not null`.mapWith(Boolean),
      hasOneTime: isPlaceTaken(most.correction, isBeforeAttribution),
    })
    .from(sql`(
      select one.id, (
        select s.occurred_at from ${sales} s where s.customer_id = one.customer_id
        order by s.occurred_at limit 1 offset ${mostSearched}
      ) as unsearched_from
      from ${sales} one where one.id = ${unencoded("saleId")} and one.program_id = ${unencoded("programId")} limit 1
    ) only_sale cross join ${sales} o on o.id = only_sale.id join ${customers} u on u.id = o.customer_id`)
    .where(sql`o.partner_id is not null and o.occurred_at < u.since`),
);

/**
 * For a sale whose customer now has another partner. `isTaken` is true if another of the customer's sales with the
 * sale's partner has the `one_time` place.
 */
export const formerPlaceOf = readFirst<{ programId: ProgramId; saleId: SaleId }, { readonly isTaken: boolean }>((db) =>
  db
    .select({ isTaken: isPlaceTaken(most.refund) })
    .from(sql`${sales} o`)
    .where(sql`o.id = ${unencoded("saleId")} and o.program_id = ${unencoded("programId")}`),
);

export interface TakenPlace {
  readonly customerId: CustomerId;
  readonly partnerId: PartnerId;
}

/**
 * For sale `o`: the `one_time` places that its versions (the original and the corrected ones) took when they were
 * decided.
 */
export const placesOfVersions = readAll<{ programId: ProgramId; saleId: SaleId }, TakenPlace>((db) =>
  db
    .select({ customerId: sql<CustomerId>`v.customer_id`, partnerId: sql<PartnerId>`c.partner_id` })
    .from(
      sql`${sales} o cross join ${sales} v
        on v.id = coalesce(o.corrected_sale_id, o.id) or v.corrected_sale_id = coalesce(o.corrected_sale_id, o.id)
        join ${commissions} c on c.sale_id = v.id`,
    )
    .where(
      sql`o.id = ${unencoded("saleId")} and o.program_id = ${unencoded("programId")}
        and v.customer_id is not null and c.partner_id is not null and c.status <> 'void' and ${foundPlaceFree}`,
    ),
);
