import { endOfDay, startOfDay } from "#domain/calendar.ts";
import { daysAround } from "#domain/claim.ts";
import { commissionStatuses } from "#domain/commission-status.ts";
import { isMissingCode, missingFor } from "#domain/explain/missing.ts";
import type { PartnerId } from "#domain/ids.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { Around, NearbySale as Found } from "#store/reports/missing-sale.ts";

export const NearbySale = z
  .object({
    saleId: id(),
    transactionId: z
      .string()
      .describe(
        "The sale's transaction id. If the claim's reference is the id of an earlier version of a corrected sale, that id.",
      ),
    amountCents: int64(),
    currency: z.string(),
    soldAt: z.iso.datetime(),
    saleDate: z.string(),
    partner: z
      .object({
        id: id(),
        name: z.string().nullable(),
        code: z.string().nullable(),
        isThis: z.boolean(),
        isConfirmed: z.boolean().describe("False if the sale's customer may still move to another partner."),
      })
      .nullable()
      .describe("Partner of the sale. Null if unattributed."),
    commissionCents: int64(),
    status: z.enum(commissionStatuses),
    reason: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe("Reason why the sale earned nothing."),
    amountApartCents: int64()
      .nullable()
      .describe("Difference between the sale's amount and the reported one, if it was reported."),
  })
  .openapi("NearbySale");

/** The start, end and middle of the time around `day` in which sales are searched. */
export function spanOfSearch(timezone: string, day: string): Pick<Around, "from" | "until" | "middle"> {
  const days = daysAround(day);
  const [from, until] = [startOfDay(timezone, days.from), endOfDay(timezone, days.to)];
  return { from, until, middle: Math.floor((from + until) / 2) };
}

export function nearbySaleReply(found: Found, of: PartnerId, timezone: string): z.output<typeof NearbySale> {
  const { id, partnerId, partnerName: name, partnerCode: code, isConfirmed, searched: _, ...rest } = found;
  const { day: saleDate, occurredAt, reason, clickAgeDays, windowDays, ...sale } = rest;
  const facts = { clickAgeDays, windowDays, sale: { ...sale, occurredAt }, timezone };
  return {
    ...sale,
    saleId: id,
    saleDate,
    soldAt: timestamp(occurredAt),
    partner: partnerId === null ? null : { id: partnerId, name, code, isThis: partnerId === of, isConfirmed },
    reason: isMissingCode(reason) ? { code: reason, message: missingFor(reason, facts, "owner").message } : null,
  };
}
