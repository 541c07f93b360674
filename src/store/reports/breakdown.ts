import { sql } from "drizzle-orm";
import {
  Breakdown,
  type BreakdownQuery,
  type CountedEvents,
  decodedCampaign,
  encodedCampaign,
  type GroupFigures,
} from "#domain/breakdown.ts";
import type { ProgramId } from "#domain/ids.ts";
import { spanAround } from "#domain/performance.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { cutAt } from "../payout-ranges.ts";
import { readAll, readFirst, unencoded } from "../statement.ts";
import {
  type AskedEvents,
  countedRows,
  type Feed,
  needsClicks,
  type Position,
  removedRows,
} from "./breakdown-events.ts";

type Table = "clicks" | "leads" | "sales" | "refunds";

interface Part {
  readonly table: Table | "ledger_entries";
  /** The kinds of rows that each step counts in this table. */
  readonly feeds: readonly Feed[];
  readonly size: number;
}

/** Each part is read in steps of `size` rows, which take some milliseconds. */
const parts: readonly Part[] = [
  { table: "sales", feeds: ["sales", "earned"], size: 1_000 },
  { table: "refunds", feeds: ["refunds", "reversed"], size: 1_000 },
  { table: "ledger_entries", feeds: ["rejected"], size: 5_000 },
  { table: "leads", feeds: ["leads"], size: 4_000 },
  { table: "clicks", feeds: ["clicks"], size: 8_000 },
];

/**
 * The step for clicks of one partner. It is larger, because the clicks of other partners are read only from the index.
 */
const clicksOfPartner = 40_000;

type Window = { programId: ProgramId; until: number; size: number } & Position;

/** Skips `size` rows after the given position, and returns the position of the next one. Reads only the index. */
const positionIn = (table: Table) =>
  readFirst<Window, Position>((db) => {
    const t = (name: string) => sql.raw(`t.${name}`);
    return db.select({ at: sql<number>`at`, id: sql<number>`id` }).from(
      sql`(select ${t("occurred_at")} as at, ${t("id")} as id from ${sql.raw(table)} t
          where ${t("program_id")} = ${unencoded("programId")} and ${t("is_test")} = 0
            and ${t("occurred_at")} >= ${unencoded("at")} and ${t("occurred_at")} <= ${unencoded("until")}
            and (${t("occurred_at")} > ${unencoded("at")} or ${t("id")} > ${unencoded("id")})
          order by ${t("occurred_at")}, ${t("id")} limit 1 offset ${unencoded("size")})`,
    );
  });

const entryPosition = readFirst<Window, Position>((db) =>
  db.select({ at: sql<number>`0`, id: sql<number>`id` }).from(
    sql`(select e.id from ledger_entries e where e.program_id = ${unencoded("programId")} and e.id > ${unencoded("id")}
        and e.id <= ${unencoded("until")} order by e.id limit 1 offset ${unencoded("size")})`,
  ),
);

const positions = {
  clicks: positionIn("clicks"),
  leads: positionIn("leads"),
  sales: positionIn("sales"),
  refunds: positionIn("refunds"),
  ledger_entries: entryPosition,
} satisfies Record<Part["table"], unknown>;

type Daily = { programId: ProgramId; from: string; to: string };

/** The approximate number of rows to read. */
const eventCount = readFirst<Daily, { n: number }>((db) =>
  db
    .select({
      n: sql<number>`coalesce(sum(clicks + uncounted_clicks + leads + unattributed_leads + sales + organic_sales
        + refunds + organic_refunds + uncounted_refunds + 2 * corrected_sales + 2 * corrected_refunds), 0)`,
    })
    .from(
      sql`(select * from daily_counts d where d.program_id = ${unencoded("programId")} and d.is_test = 0
        and d.day between ${unencoded("from")} and ${unencoded("to")})`,
    ),
);

export interface Progress {
  readonly done: number;
  /** The approximate number of rows. Calls may add rows during the read. */
  readonly of: number;
}

const lastId = Number.MAX_SAFE_INTEGER;

/** Reads the events of a period and of the previous period in steps, and counts them. */
export class BreakdownReader {
  readonly counted: Breakdown;
  readonly #programId: ProgramId;
  readonly #query: BreakdownQuery;
  readonly #asked: AskedEvents;
  #part = -1;
  #from: Position = { at: 0, id: 0 };
  #to: Position | undefined;
  /** The end of the current part. No row of the part has a later position. */
  #until: Position = { at: 0, id: 0 };
  #cuts = { from: 0, to: 0 };
  #done = 0;
  #of = 0;

  constructor(programId: ProgramId, query: BreakdownQuery) {
    const { days, previous, filters, groupBy, currency } = query;
    this.#programId = programId;
    this.#query = query;
    const { campaign = null, ...others } = filters;
    this.#asked = {
      programId,
      currency,
      since: (previous ?? days).from,
      from: days.from,
      to: days.to,
      partner: others.partner ?? null,
      code: others.code ?? null,
      sub: others.sub ?? null,
      source: others.source ?? null,
      country: others.country ?? null,
      device: others.device ?? null,
      referrer_host: others.referrer_host ?? null,
      landing_path: others.landing_path ?? null,
      campaign: campaign === null ? null : encodedCampaign(campaign),
      coupon: others.coupon ?? null,
    };
    this.counted = new Breakdown(groupBy);
  }

  get progress(): Progress {
    return { done: Math.min(this.#done, this.#of), of: this.#of };
  }

  get isDone(): boolean {
    return this.#part >= parts.length;
  }

  /** Reads the next rows. Makes one database request. */
  async step(database: Database): Promise<void> {
    const part = parts[this.#part];
    if (part === undefined) return this.#begin(database);
    if (this.#to === undefined) {
      this.#to = (await readOne(database, this.#positionAfter(part, this.#from))) ?? this.#until;
      return;
    }
    const to = this.#to;
    const between = { ...this.#asked, fromAt: this.#from.at, fromId: this.#from.id, toAt: to.at, toId: to.id };
    const withClicks = needsClicks(this.#query);
    const [first, second] = part.feeds.map((feed) => countedRows(feed, this.#query.groupBy, withClicks)(between));
    if (first === undefined) throw new Error("a part without a feed");
    const isLast = to === this.#until;
    const { rows, more, next } = await readBatch(database, {
      rows: first,
      ...(second && { more: second }),
      next: this.#positionAfter(part, to),
    });
    this.#add(more === undefined ? rows : [...rows, ...more]);
    if (isLast) return this.#enter(this.#part + 1);
    this.#done += this.#sizeOf(part);
    this.#from = to;
    this.#to = next ?? this.#until;
  }

  async #begin(database: Database): Promise<void> {
    const { since, to } = this.#asked;
    const span = spanAround({ from: since, to });
    const cut = (until: number) => cutAt({ programId: this.#programId, currency: "", until });
    const found = await readBatch(database, {
      removed: removedRows(this.#query.groupBy)(this.#asked),
      count: eventCount({ programId: this.#programId, from: since, to }),
      first: cut(span.since),
      last: cut(span.until),
    });
    this.#add(found.removed);
    this.#of = found.count?.n ?? 0;
    this.#cuts = { from: found.first?.cut ?? 0, to: found.last?.cut ?? 0 };
    this.#enter(0);
  }

  #enter(part: number): void {
    this.#part = part;
    this.#to = undefined;
    const { since, until } = spanAround({ from: this.#asked.since, to: this.#asked.to });
    const isOfEntries = parts[part]?.table === "ledger_entries";
    this.#from = isOfEntries ? { at: 0, id: this.#cuts.from } : { at: since, id: 0 };
    this.#until = isOfEntries ? { at: 0, id: this.#cuts.to } : { at: until, id: lastId };
  }

  #sizeOf({ table, size }: Part): number {
    return table === "clicks" && this.#asked.partner !== null ? clicksOfPartner : size;
  }

  #positionAfter(part: Part, { at, id }: Position) {
    const until = part.table === "ledger_entries" ? this.#until.id : this.#until.at;
    return positions[part.table]({ programId: this.#programId, until, size: this.#sizeOf(part) - 1, at, id });
  }

  #add(rows: readonly CountedEvents[]): void {
    const isCampaign = this.#query.groupBy === "campaign";
    this.counted.add(isCampaign ? rows.map((row) => ({ ...row, value: decodedCampaign(row.value) })) : rows);
  }
}

type DailyAsked = Daily & { since: string; currency: string; partner: string | null };

const dailyValues = {
  partner: "cast(d.partner_id as text)",
  month: "substr(d.day, 1, 7)",
  day: "d.day",
} as const;

type DailyGrouping = keyof typeof dailyValues;

const isDailyGrouping = (groupBy: string): groupBy is DailyGrouping => groupBy in dailyValues;

const sums = {
  clicks: "d.clicks",
  uniqueClicks: "d.unique_clicks",
  leads: "d.leads",
  sales: "d.sales",
  refunds: "d.refunds",
} as const;
const amounts = {
  revenueCents: "d.revenue_cents",
  refundedCents: "d.refunded_cents",
  commissionCents: "d.commission_cents",
} as const;

type DailyRow = { readonly [Name in keyof GroupFigures]-?: bigint } & {
  readonly value: string;
  readonly isNow: boolean;
};

const bigSum = (column: string) => sql`cast(sum(${sql.raw(column)}) as text)`.mapWith(BigInt);
const amountSum = (column: string) =>
  sql`cast(sum(iif(d.currency = ${unencoded("currency")}, ${sql.raw(column)}, 0)) as text)`.mapWith(BigInt);

const dailyRows = (groupBy: DailyGrouping) =>
  readAll<DailyAsked, DailyRow>((db) =>
    db
      .select({
        value: sql<string>`${sql.raw(dailyValues[groupBy])}`,
        isNow: sql<boolean>`d.day >= ${unencoded("from")}`.mapWith(Boolean),
        clicks: bigSum(sums.clicks),
        uniqueClicks: bigSum(sums.uniqueClicks),
        leads: bigSum(sums.leads),
        sales: bigSum(sums.sales),
        refunds: bigSum(sums.refunds),
        revenueCents: amountSum(amounts.revenueCents),
        refundedCents: amountSum(amounts.refundedCents),
        commissionCents: amountSum(amounts.commissionCents),
      })
      .from(sql`daily_counts d`)
      .where(
        sql`d.program_id = ${unencoded("programId")} and d.is_test = 0
          and d.day between ${unencoded("since")} and ${unencoded("to")} and d.partner_id > 0
          and (${unencoded("partner")} is null or d.partner_id = cast(${unencoded("partner")} as integer))
          and not exists (select 1 from partners p where p.id = d.partner_id and p.is_synthetic = 1)`,
      )
      .groupBy(sql`1, 2`),
  );

const daily = { partner: dailyRows("partner"), month: dailyRows("month"), day: dailyRows("day") };

/**
 * Computes a breakdown by partner, month or day, of one partner or all, from the daily counts. Makes one database
 * request.
 */
export async function readDailyBreakdown(
  database: Database,
  programId: ProgramId,
  { groupBy, filters, days, previous, currency }: BreakdownQuery,
): Promise<Breakdown> {
  if (!isDailyGrouping(groupBy)) throw new Error(`days aren't counted by ${groupBy}`);
  const { from, to } = days;
  const partner = filters.partner ?? null;
  const rows = await readOne(
    database,
    daily[groupBy]({ programId, from, to, since: (previous ?? days).from, currency, partner }),
  );
  const counted = new Breakdown(groupBy);
  counted.add(rows.map(({ value, isNow, ...figures }) => ({ value, isNow, figures })));
  return counted;
}

interface PartnerName {
  readonly id: string;
  readonly name: string;
  /** The first `aff` code. */
  readonly code: string | null;
}

/** `ids` is a JSON array. */
export const partnerNames = readAll<{ programId: ProgramId; ids: string }, PartnerName>((db) =>
  db
    .select({
      id: sql<string>`cast(p.id as text)`,
      name: sql<string>`p.name`,
      code: sql<string | null>`(select l.code from referral_links l where l.partner_id = p.id order by l.id limit 1)`,
    })
    .from(sql`partners p`)
    .where(
      sql`p.program_id = ${unencoded("programId")} and p.id in (select value from json_each(${unencoded("ids")}))`,
    ),
);
