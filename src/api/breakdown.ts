import {
  type Breakdown,
  type BreakdownQuery,
  type Group,
  type GroupFigures,
  groupings,
  isCountedDaily,
  maxGroups,
} from "#domain/breakdown.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { clamped } from "#domain/money.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { logError } from "#http/log.ts";
import { messageOf } from "#http/refusal/table.ts";
import { int64 } from "#http/schema/integers.ts";
import { encoded, record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { BreakdownReader, type Progress, partnerNames, readDailyBreakdown } from "#store/reports/breakdown.ts";
import { countsOfAll, countsOfPartner } from "#store/reports/performance.ts";
import { type AskedBreakdown, filtersOf } from "./breakdown-query.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";
import { admitStep, type LongRead, readStep } from "./long-read.ts";
import { ever, type Period, periodMeta, rangeOf } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";
import { unitsOf } from "./units.ts";

const cents = "Amount in the currency's smallest unit.";
const visitors =
  "Sum of the unique visitors of each day. Null unless grouped by partner, month or day, with no filter except `partner`.";

const figures = {
  clicks: sum(),
  uniqueClicks: encoded(int64().nullable().describe(visitors), (count: bigint | undefined) =>
    count === undefined ? null : clamped(count),
  ),
  leads: sum(),
  sales: sum("Number of attributed sales, in any currency."),
  refunds: sum(),
  revenueCents: sum(cents),
  refundedCents: sum(cents),
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the ledger entry, without corrected sales.",
  ),
};
const figureRecord = record("GroupFigures", figures);
const ownFigures = record("OwnGroupFigures", {
  clicks: figures.clicks,
  uniqueClicks: figures.uniqueClicks,
  leads: figures.leads,
  sales: figures.sales,
  commissionCents: figures.commissionCents,
});
const ownMoney = record(undefined, { revenueCents: figures.revenueCents, refundedCents: figures.refundedCents });

const names = {
  group: z
    .string()
    .describe(
      `Value of the group; if grouped by partner, the partner's id. \`none\`: events without a value. \`unknown\`: events whose value was deleted at the end of its retention period. \`other\`: the sum of all further groups, if there are more than ${maxGroups.toLocaleString("en")}.`,
    ),
  label: z
    .string()
    .describe(
      "Name to show: the partner's name if grouped by partner, with the code if two groups have the same name; otherwise the same as `group`.",
    ),
};

const earlier = "Figures of the preceding period. Null without `compare`.";
const order = "Groups, highest revenue first; months and days, earliest first.";

const metaFields = {
  ...periodMeta,
  dateFrom: z.string().nullable().describe("First day of the range. Null for `all`."),
  dateTo: z.string().nullable().describe("Last day of the range. Null for `all`."),
  previousPeriod: z.object({ dateFrom: z.string(), dateTo: z.string() }).nullable(),
  groupBy: z.enum(groupings),
};
const sums = "Sums of all groups.";

const Figures = figureRecord.schema;
export const BreakdownReply = z
  .object({
    data: z
      .array(
        z
          .object({ ...names, ...Figures.shape, previous: Figures.nullable().describe(earlier) })
          .openapi("BreakdownGroup"),
      )
      .describe(order),
    meta: z.object({ ...metaFields, totals: Figures.describe(sums), previousTotals: Figures.nullable() }),
  })
  .openapi("Breakdown");

const OwnFigures = z.object({ ...ownFigures.schema.shape, ...ownMoney.schema.partial().shape }).openapi("OwnFigures");
export const OwnBreakdownReply = z
  .object({
    data: z
      .array(
        z
          .object({ ...names, ...OwnFigures.shape, previous: OwnFigures.nullable().describe(earlier) })
          .openapi("OwnBreakdownGroup"),
      )
      .describe(order),
    meta: z.object({ ...metaFields, totals: OwnFigures.describe(sums), previousTotals: OwnFigures.nullable() }),
  })
  .openapi("OwnBreakdown");

export const ProgressLine = z.object({
  progress: z.object({
    done: int64().describe("Approximate number of events read so far."),
    of: int64().describe("Approximate number of events to read in all."),
  }),
});

export interface Place {
  readonly programId: ProgramId;
  readonly timezone: string;
  readonly currency: string;
}

export interface OpenedBreakdown {
  readonly period: Period;
  readonly query: BreakdownQuery;
  readonly place: Place;
  readonly counted: Breakdown;
  readonly currencies: readonly string[];
  /**
   * Reads the events that `counted` doesn't contain yet. Returns a refusal if a read fails. Undefined if `counted` is
   * complete.
   */
  readonly steps: AsyncGenerator<Progress, Refusal | undefined> | undefined;
}

/**
 * Opens a breakdown. If daily counts are enough to compute it, it is complete at once. Otherwise the caller must run
 * its steps. With `turn`, the Ledger admits no other such read of the program until the steps have ended or been
 * aborted.
 */
export async function openBreakdown(
  c: Ctx,
  place: Place,
  turn: LongRead | undefined,
  { today, ...asked }: AskedBreakdown & { readonly today: string },
): Promise<Result<OpenedBreakdown>> {
  const { programId } = place;
  const { currency = place.currency, groupBy } = asked;
  const filters = filtersOf(asked);
  const period = rangeOf(asked, today);
  const previous = asked.compare === undefined ? undefined : period.previous;
  const query: BreakdownQuery = { groupBy, filters, days: period.days, previous, currency };
  const partnerId = asked.partner ?? null;
  const currenciesOf = (partnerId === null ? countsOfAll : countsOfPartner).currencies;
  const isDaily = isCountedDaily(groupBy, filters);
  const known = await unitsOf(c, programId, asked.currency);
  if (!known.ok) return known;
  const begun = isDaily || turn === undefined ? ok(undefined) : await admitStep(c, turn, "begin");
  if (!begun.ok) return begun;
  const found = await readFromDatabase(c, "program", async (database) => ({
    daily: isDaily ? await readDailyBreakdown(database, programId, query) : undefined,
    currencies: await readOne(
      database,
      currenciesOf({ programId, isTest: false, ...period.days, partnerId: partnerId as PartnerId | null }),
    ),
  }));
  if (!found.ok) return found;
  const { daily } = found.value;
  const currencies = found.value.currencies.map((row) => row.currency);
  const opened = { period, query, place, currencies };
  if (daily !== undefined) return ok({ ...opened, counted: daily, steps: undefined });
  const reader = new BreakdownReader(programId, query);
  return ok({ ...opened, counted: reader.counted, steps: steps(c, reader, turn) });
}

/** Reads events step by step. After each read it pauses for as long as the read took, so that sales aren't delayed. */
async function* steps(
  c: Ctx,
  reader: BreakdownReader,
  turn: LongRead | undefined,
): AsyncGenerator<Progress, Refusal | undefined> {
  try {
    while (!reader.isDone) {
      const read = await readStep(c, turn, (database) => reader.step(database), 1);
      if (!read.ok) return read.refusal;
      yield reader.progress;
    }
    return undefined;
  } finally {
    if (turn !== undefined) await admitStep(c, turn, "end");
  }
}

/** Runs all steps, for callers that don't show the progress. */
export async function readBreakdown(...asked: Parameters<typeof openBreakdown>): Promise<Result<OpenedBreakdown>> {
  const opened = await openBreakdown(...asked);
  if (!opened.ok) return opened;
  const { steps: left } = opened.value;
  while (left !== undefined) {
    const { done, value } = await left.next();
    if (done === true) return value === undefined ? opened : refused(value);
  }
  return opened;
}

interface Named extends Group {
  readonly label: string;
}

/** Returns the groups with their names. Call it after the steps have ended. */
async function namedGroups(c: Ctx, { counted, query, place }: OpenedBreakdown): Promise<Result<readonly Named[]>> {
  const { groups } = counted.groups();
  if (query.groupBy !== "partner") return ok(groups.map((group) => ({ ...group, label: group.group })));
  const ids = JSON.stringify(groups.flatMap(({ group }) => (/^\d+$/.test(group) ? [Number(group)] : [])));
  const found = await readFromDatabase(c, "program", (database) =>
    readOne(database, partnerNames({ programId: place.programId, ids })),
  );
  if (!found.ok) return found;
  const partnersOf = Map.groupBy(found.value, ({ name }) => name);
  const isShared = (name: string) => (partnersOf.get(name)?.length ?? 0) > 1;
  const labelOf = new Map(found.value.map(({ id, name, code }) => [id, isShared(name) ? `${name} (${code})` : name]));
  return ok(groups.map((group) => ({ ...group, label: labelOf.get(group.group) ?? group.group })));
}

type Shown<Figures> = (figures: GroupFigures) => Figures;

async function replyBy<Figures>(c: Ctx, opened: OpenedBreakdown, shown: Shown<Figures>) {
  const named = await namedGroups(c, opened);
  if (!named.ok) return named;
  const { period, query, place, counted, currencies } = opened;
  const { days, previous, currency, groupBy } = query;
  const { totals } = counted.groups();
  const before = (figures: GroupFigures) => (previous === undefined ? null : shown(figures));
  return ok({
    data: named.value.map(({ group, label, now, before: earlier }) => ({
      group,
      label,
      ...shown(now),
      previous: before(earlier),
    })),
    meta: {
      period: period.period,
      currency,
      otherCurrencies: currencies.filter((other) => other !== currency),
      timezone: place.timezone,
      dateFrom: days === ever ? null : days.from,
      dateTo: days === ever ? null : days.to,
      previousPeriod: previous === undefined ? null : { dateFrom: previous.from, dateTo: previous.to },
      groupBy,
      totals: shown(totals.now),
      previousTotals: before(totals.before),
    },
  });
}

export const breakdownReply = (c: Ctx, opened: OpenedBreakdown) => replyBy(c, opened, figureRecord.reply);

export const ownBreakdownReply = (c: Ctx, opened: OpenedBreakdown, seesRevenue: boolean) =>
  replyBy(c, opened, (shown) => ({ ...ownFigures.reply(shown), ...(seesRevenue && ownMoney.reply(shown)) }));

const before = (isCompared: boolean, currency: string): ExportColumns<Named> =>
  isCompared
    ? {
        clicks_before: ({ before: { clicks } }) => clamped(clicks),
        sales_before: ({ before: { sales } }) => clamped(sales),
        revenue_before: ({ before: { revenueCents } }) => amountCell(clamped(revenueCents), currency),
        commission_before: ({ before: { commissionCents } }) => amountCell(clamped(commissionCents), currency),
      }
    : {};

/** The columns of a file with the breakdown's rows. */
export const breakdownColumns = ({
  groupBy,
  currency,
  previous,
}: Pick<BreakdownQuery, "groupBy" | "currency" | "previous">): ExportColumns<Named> => ({
  [groupBy]: ({ label }) => label,
  ...(groupBy === "partner" && { partner_id: ({ group }: Named) => group }),
  clicks: ({ now: { clicks } }) => clamped(clicks),
  sign_ups: ({ now: { leads } }) => clamped(leads),
  sales: ({ now: { sales } }) => clamped(sales),
  refunds: ({ now: { refunds } }) => clamped(refunds),
  revenue: ({ now: { revenueCents } }) => amountCell(clamped(revenueCents), currency),
  refunded: ({ now: { refundedCents } }) => amountCell(clamped(refundedCents), currency),
  commission: ({ now: { commissionCents } }) => amountCell(clamped(commissionCents), currency),
  ...before(previous !== undefined, currency),
  currency: () => currency,
});

/** Returns all rows as a single page, for `downloadPages`. */
export async function breakdownPage(c: Ctx, read: OpenedBreakdown) {
  const named = await namedGroups(c, read);
  return named.ok ? ok({ page: named.value, next: undefined }) : named;
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

/**
 * Yields a JSON line for each step, and reads a step only after the previous line is written. If a step fails, the last
 * line contains the error.
 */
export async function* breakdownLines(c: Ctx, opened: OpenedBreakdown): AsyncGenerator<string, undefined> {
  const refuse = (refusal: Refusal) => line({ error: { code: refusal.code, message: messageOf(refusal, undefined) } });
  try {
    while (opened.steps !== undefined) {
      const { done, value } = await opened.steps.next();
      if (done !== true) yield line({ progress: value });
      else if (value === undefined) break;
      else return yield refuse(value);
    }
    const reply = await breakdownReply(c, opened);
    return yield reply.ok ? line({ result: reply.value }) : refuse(reply.refusal);
  } catch (error) {
    logError(c, error);
    yield refuse({ code: "internal" });
  } finally {
    await opened.steps?.return(undefined);
  }
}
