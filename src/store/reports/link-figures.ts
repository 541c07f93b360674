import { sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Days, sumFigures } from "#domain/performance.ts";
import { type Database, readOne } from "../database.ts";
import type { LinkRow } from "../partners.ts";
import { isReplaced } from "../sales.ts";
import { asText, readAll, unencoded } from "../statement.ts";
import { countsOfPartner } from "./performance.ts";

export interface LinkFigures {
  readonly clicks: bigint;
  readonly leads: bigint;
  readonly sales: bigint;
  readonly commissionCents: bigint;
}

type Asked = { programId: ProgramId; partnerId: PartnerId; currency: string; from: string; to: string; since: number };

const isOwn = (
  table: string,
) => sql`${sql.raw(table)}.program_id = ${unencoded("programId")} and ${sql.raw(table)}.is_test = 0
  and ${sql.raw(table)}.partner_id = ${unencoded("partnerId")} and ${sql.raw(table)}.day between ${unencoded("from")} and ${unencoded("to")}`;
const isRecent = (table: string) => sql`${sql.raw(table)}.occurred_at >= ${unencoded("since")}`;
const sumOf = (column: string) => asText(sql`sum(${sql.raw(column)})`).mapWith(BigInt);

/**
 * An entry of a sale's former partner has no code here, because the code stored with the sale is the current partner's.
 */
const figuresByCode = readAll<Asked, LinkFigures & { codeKey: string | null }>((db) =>
  db
    .select({
      codeKey: sql<string | null>`code_key`,
      clicks: sumOf("clicks"),
      leads: sumOf("leads"),
      sales: sumOf("sales"),
      commissionCents: sumOf("cents"),
    })
    .from(sql`(
      select k.code_key, count(*) as clicks, 0 as leads, 0 as sales, 0 as cents
      from clicks c join referral_links k on k.id = c.link_id
      where ${isOwn("c")} and ${isRecent("c")} and not c.is_bot and not c.is_prefetch group by 1
      union all select lower(l.partner_code), 0, count(*), 0, 0 from leads l where ${isOwn("l")} and ${isRecent("l")} group by 1
      union all select lower(s.partner_code), 0, 0, count(*), 0 from sales s where ${isOwn("s")} and ${isRecent("s")}
        and not ${isReplaced} group by 1
      union all select iif(s.partner_id = e.partner_id, lower(s.partner_code), null), 0, 0, 0, sum(e.amount_cents)
      from ledger_entries e join commissions c on c.id = e.commission_id join sales s on s.id = c.sale_id
      where ${isOwn("e")} and e.currency = ${unencoded("currency")} and not ${isReplaced} group by 1)`)
    .groupBy(sql`code_key`),
);

/** In every time zone, events of a day are within this time of the day's midnight in UTC. */
const mostOffUtc = dayMs;

/**
 * Figures of each link in the live book, by link id. Their sum equals the partner's figures. With a single link, the
 * figures are the partner's stored daily counts. With several, the events are counted.
 */
export async function readLinkFigures(
  database: Database,
  {
    programId,
    partnerId,
    currency,
    days,
  }: Pick<Asked, "programId" | "partnerId" | "currency"> & { readonly days: Days },
  links: readonly Pick<LinkRow, "id" | "codeKey">[],
): Promise<ReadonlyMap<number, LinkFigures>> {
  const asked = { programId, partnerId, currency, ...days };
  const first = links.reduce<number | undefined>((least, { id }) => Math.min(least ?? id, id), undefined);
  if (first === undefined) return new Map();
  if (links.length === 1) {
    const counted = await readOne(database, countsOfPartner.days({ ...asked, isTest: false }));
    return new Map([[first, sumFigures(counted)]]);
  }
  const since = Date.parse(`${days.from}T00:00:00Z`) - mostOffUtc;
  const found = await readOne(database, figuresByCode({ ...asked, since }));
  const idOf = new Map(links.map(({ id, codeKey }) => [codeKey, id]));
  const figures = new Map<number, LinkFigures>();
  for (const { codeKey, ...more } of found) {
    const id = (codeKey === null ? undefined : idOf.get(codeKey)) ?? first;
    figures.set(id, added(figures.get(id) ?? noFigures, more));
  }
  return figures;
}

export const noFigures: LinkFigures = { clicks: 0n, leads: 0n, sales: 0n, commissionCents: 0n };

const added = (a: LinkFigures, b: LinkFigures): LinkFigures => ({
  clicks: a.clicks + b.clicks,
  leads: a.leads + b.leads,
  sales: a.sales + b.sales,
  commissionCents: a.commissionCents + b.commissionCents,
});
