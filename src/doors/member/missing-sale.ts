import { day } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dateUtc, dayMs, endOfDay, startOfDay } from "#domain/calendar.ts";
import { commissionStatuses } from "#domain/commission-status.ts";
import { isMissingCode, missingFor } from "#domain/explain/missing.ts";
import type { PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { maxSearched, type NearbySale, salesAround } from "#store/reports/missing-sale.ts";
import { findPartner } from "#store/views/partners.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const maxShown = 50;
const daysAround = 2;
const Query = z.object({
  day: day("day").describe("Day of the sale as reported by the partner, in the program's time zone."),
  amountCents: fields.integerText("amountCents", 1, 100_000_000_000).optional(),
  currency: fields.currency("currency").optional(),
});

const Sale = z
  .object({
    saleId: id(),
    transactionId: z.string(),
    amountCents: int64(),
    currency: z.string(),
    soldAt: z.iso.datetime(),
    saleDate: z.string(),
    partner: z
      .object({ id: id(), name: z.string().nullable(), code: z.string().nullable(), isThis: z.boolean() })
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
      .describe("Difference between the sale's amount and `amountCents`, if you sent it."),
  })
  .openapi("NearbySale");

export const missingSale = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/missing-sale",
    operationId: "findMissingSale",
    tags: ["Management"],
    summary: "Find a sale that a partner reports as missing",
    description: `Up to ${maxShown} live sales within ${daysAround} days of the given day, of any partner or none, closest in amount first, then in time. Only the newest ${maxSearched} sales of these days are searched.`,
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...returns("Sales, closest first", z.object({ data: z.array(Sale) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { id: programId, timezone } = c.get("program");
    const { day: asked, amountCents = null, currency = null } = c.req.valid("query");
    const shifted = (days: number) => dateUtc(Date.parse(`${asked}T00:00:00Z`) + days * dayMs);
    const from = startOfDay(timezone, shifted(-daysAround));
    const until = endOfDay(timezone, shifted(daysAround));
    const around = { from, until, middle: (from + until) / 2, amountCents, currency, limit: maxShown };
    const found = await readFromDatabase(c, "program", async (database) => ({
      partner: await findPartner(database, programId, partnerId),
      sales: await salesAround(database, { programId, isTest: false }, around),
    }));
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, sales } = found.value;
    if (partner === undefined) return refuse(c, notFound("partner"));
    return c.json({ data: sales.map((sale) => reply(sale, partnerId, timezone)) }, 200);
  },
});

function reply(found: NearbySale, of: PartnerId, timezone: string): z.output<typeof Sale> {
  const { id, partnerId, partnerName, partnerCode, day: saleDate, occurredAt, reason, ...rest } = found;
  const { clickAgeDays, windowDays, ...sale } = rest;
  const facts = { clickAgeDays, windowDays, sale: { ...sale, occurredAt }, timezone };
  return {
    ...sale,
    saleId: id,
    saleDate,
    soldAt: timestamp(occurredAt),
    partner:
      partnerId === null ? null : { id: partnerId, name: partnerName, code: partnerCode, isThis: partnerId === of },
    reason: isMissingCode(reason) ? { code: reason, message: missingFor(reason, facts, "owner").message } : null,
  };
}
