import { isPeriod, isPeriodOf, isPeriodOver, lastMonthOf, maxAwardsPerCall } from "#domain/bonuses.ts";
import { dayIn } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { maxAmountCents } from "#domain/money.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { maxTierSales, periodOfDay, type TierPeriod, tierMetrics, tierPeriods } from "#domain/tiers.ts";
import { maxCounted } from "#domain/to-do.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { messageOf } from "#http/refusal/table.ts";
import { cursorMessage, cursorOf, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { AwardOutcome } from "#operations/bonuses/award-bonuses.ts";
import { type BonusRow, bonusById } from "#store/bonuses.ts";
import { readOne } from "#store/database.ts";
import { listBonuses, listDueBonuses } from "#store/views/bonuses.ts";
import type { Caller } from "./caller.ts";
import { readFromDatabase } from "./read-database.ts";
import { currencyOrUnit, unitsOf } from "./units.ts";

const metricText =
  "`sales`: the number of the partner's approved or paid sales. `revenue`: the sum of their amounts in the program's currency.";
const periodForms = "a month such as `2026-11`, a quarter such as `2026-Q4`, or a year such as `2026`";

const periodField = (field: string) => {
  const message = `${field} must be a month such as 2026-11, a quarter such as 2026-Q4, or a year such as 2026`;
  return z.string(message).refine(isPeriod, message).openapi({ example: "2026-11" });
};

export const bonusRecord = record("Bonus", {
  id: id(),
  metric: z.enum(tierMetrics).describe(metricText),
  period: z.enum(tierPeriods).describe("Period for which sales are counted, by the day of each sale."),
  threshold: int64().describe("Number of sales that a partner must reach, or revenue in cents."),
  salesCurrency: z.string().nullable().describe("Currency of the threshold, if `metric` is `revenue`."),
  amountCents: int64(),
  currency: z.string().describe("Currency of the bonus, or a unit of the program."),
  fromPeriod: z.string().describe(`First period: ${periodForms}.`),
  untilPeriod: z.string().nullable().describe("Last period. Null if the bonus hasn't been ended."),
  createdAt: instant(),
  dismissedAt: instantOrNull("Time from which the bonus can't be awarded any more. Null if it can."),
});

const isNumberOfSales = ({ metric, threshold }: Readonly<Record<string, unknown>>): boolean =>
  metric !== "sales" || !(Number(threshold) > maxTierSales);

export const NewBonus = z
  .object({
    metric: fields.oneOf("metric", tierMetrics).describe(metricText),
    period: fields
      .oneOf("period", tierPeriods)
      .describe("Period for which sales are counted, by the day of each sale. Each period starts at 0."),
    threshold: fields
      .integer("threshold", 1, maxAmountCents)
      .describe("Number of sales that a partner must reach, or revenue in cents."),
    amountCents: fields.amountCents("amountCents"),
    currency: currencyOrUnit(),
    from: fields
      .optional(periodField("from"))
      .describe(
        `First period: ${periodForms}. Defaults to the current one. An earlier one may begin in January of last year at the earliest.`,
      ),
  })
  .refine(
    ...fields.rule(["threshold"], `threshold must be from 1 to ${maxTierSales} when metric is sales`, isNumberOfSales),
  )
  .openapi("NewBonus");

const dueRecord = record("DueBonus", {
  bonusId: id(),
  partnerId: id(),
  partnerCode: z.string().describe("The partner's first code."),
  partnerName: z.string(),
  metric: z.enum(tierMetrics),
  salesCurrency: z.string().nullable().describe("Currency of `count`, if `metric` is `revenue`."),
  count: int64().describe("Number of the partner's approved or paid sales in the period, or their revenue in cents."),
  amountCents: int64(),
  currency: z.string(),
});

const pageSize = 50;

/** `period` is empty in cursors of the list of all bonuses. Only cursors of the list of due bonuses have a period. */
const cursors = cursorOf("bonuses", { period: z.string(), bonusId: z.int().positive(), partnerId: z.int() });

export const BonusQuery = z
  .object({
    period: periodField("period")
      .optional()
      .describe(`Lists the partners to whom bonuses are due for this period: ${periodForms}.`),
    cursor: cursors.parameter(),
  })
  .refine(...fields.rule(["cursor"], cursorMessage, isOfThisList));
type BonusQuery = z.output<typeof BonusQuery>;

function isOfThisList({ period, cursor }: Readonly<Record<string, unknown>>): boolean {
  return cursor === undefined || (cursor as { readonly period: string }).period === (period ?? "");
}

const BonusesReply = z.object({
  data: z.array(bonusRecord.schema),
  meta: PageMeta.extend({
    due: z
      .array(z.object({ period: z.string(), count: int64() }))
      .describe("Periods that are over and have due bonuses, newest first, with the number of due bonuses of each."),
    hasMoreDue: z
      .boolean()
      .describe(`True if more than ${maxCounted} bonuses are due. Only those of the oldest periods are then counted.`),
  }),
});

const DueReply = z.object({ data: z.array(dueRecord.schema), meta: PageMeta });

export const BonusListReply = z.union([BonusesReply, DueReply]);
type BonusListReply = z.output<typeof BonusListReply>;

interface Program {
  readonly id: ProgramId;
  readonly timezone: string;
}

/** Reads a page of the program's bonuses or, for a period, of the partners to whom they are due. */
export const readBonuses = (c: Ctx, program: Program, query: BonusQuery): Promise<Result<BonusListReply>> =>
  query.period === undefined
    ? readAllBonuses(c, program, query.cursor)
    : readDue(c, program, { period: query.period, cursor: query.cursor });

async function readAllBonuses(
  c: Ctx,
  { id: programId, timezone }: Program,
  cursor: BonusQuery["cursor"],
): Promise<Result<z.output<typeof BonusesReply>>> {
  const month = dayIn(timezone, c.get("call").at).slice(0, 7);
  const asked = { programId, before: cursor?.bonusId ?? newest.id, limit: pageSize + 1, month };
  const read = await readFromDatabase(c, "program", (database) => listBonuses(database, asked));
  if (!read.ok) return read;
  const { found, periods } = read.value;
  const { page, meta } = cursors.pageOf(found, pageSize, (last) => ({ period: "", bonusId: last.id, partnerId: 0 }));
  const due = periods.map(({ kind, lastMonth, count }) => ({ period: periodOfDay(kind, `${lastMonth}-01`), count }));
  const counted = due.reduce((sum, { count }) => sum + count, 0);
  return ok({ data: page.map(bonusRecord.reply), meta: { ...meta, due, hasMoreDue: counted > maxCounted } });
}

const kindOf = (period: string): TierPeriod => tierPeriods.find((kind) => isPeriodOf(kind, period)) ?? "month";

async function readDue(
  c: Ctx,
  { id: programId, timezone }: Program,
  { period, cursor }: { readonly period: string; readonly cursor: BonusQuery["cursor"] },
): Promise<Result<z.output<typeof DueReply>>> {
  if (!isPeriodOver(period, dayIn(timezone, c.get("call").at))) return ok({ data: [], meta: { nextCursor: null } });
  const asked = {
    programId,
    period: kindOf(period),
    lastMonth: lastMonthOf(period),
    bonusId: cursor?.bonusId ?? 0,
    partnerId: cursor?.partnerId ?? 0,
    limit: pageSize + 1,
  };
  const read = await readFromDatabase(c, "program", (database) => listDueBonuses(database, asked));
  if (!read.ok) return read;
  const { page, meta } = cursors.pageOf(read.value, pageSize, ({ bonusId, partnerId }) => ({
    period,
    bonusId,
    partnerId,
  }));
  return ok({ data: page.map(dueRecord.reply), meta });
}

export async function createBonus(
  c: Ctx,
  by: Caller & { readonly actorId: string },
  { from, ...terms }: z.output<typeof NewBonus>,
): Promise<Result<{ readonly bonus: BonusRow; readonly isNew: boolean }>> {
  const { programId } = by;
  const known = await unitsOf(c, programId, terms.currency);
  if (!known.ok) return known;
  const made = await runOperation(c, { ...by, kind: "create-bonus", terms, from } as const);
  if (!made.ok) return refused(made.refusal);
  const { bonusId, isNew } = made.answer;
  const read = await readFromDatabase(c, "program", (database) =>
    readOne(database, bonusById({ programId, id: bonusId })),
  );
  if (!read.ok) return read;
  return read.value === undefined ? refused(notFound("bonus")) : ok({ bonus: read.value, isNew });
}

const rowsMessage = `rows must be an array of 1 to ${maxAwardsPerCall} objects of bonusId and partnerId`;

export const Awards = z
  .object({
    period: periodField("period").describe(`A period that is over: ${periodForms}.`),
    rows: z
      .array(
        z.object(
          { bonusId: fields.programId("rows.bonusId"), partnerId: fields.programId("rows.partnerId") },
          rowsMessage,
        ),
        rowsMessage,
      )
      .min(1, rowsMessage)
      .max(maxAwardsPerCall, rowsMessage),
  })
  .openapi("BonusAwards");

export const AwardsReply = z.object({
  data: z.array(
    z
      .object({
        bonusId: id(),
        partnerId: id(),
        result: z
          .enum(["awarded", "unchanged", "refused"])
          .describe("`unchanged`: the bonus was already awarded to the partner for this period."),
        code: z.string().optional().describe("Code of the refusal."),
        message: z.string().optional().describe("Reason for the refusal."),
      })
      .openapi("BonusAward"),
  ),
});

export function awardReply(outcome: AwardOutcome): z.output<typeof AwardsReply>["data"][number] {
  const { bonusId, partnerId, result } = outcome;
  if (!("refusal" in outcome)) return { bonusId, partnerId, result };
  const { refusal } = outcome;
  return { bonusId, partnerId, result, code: refusal.code, message: messageOf(refusal, undefined) };
}
