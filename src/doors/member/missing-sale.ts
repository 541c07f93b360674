import { NearbySale, nearbySaleReply, spanOfSearch } from "#api/nearby-sales.ts";
import { day } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { claimDaysAround } from "#domain/claim.ts";
import { notFound } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { nearestSales } from "#store/reports/missing-sale.ts";
import { findPartner } from "#store/views/partners.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const maxShown = 50;
const searched = 10_000;

const Query = z.object({
  day: day("day").describe("Day of the sale as reported by the partner, in the program's time zone."),
  amountCents: fields.integerText("amountCents", 1, 100_000_000_000).optional(),
  currency: fields.currency("currency").optional(),
});

export const missingSale = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/missing-sale",
    operationId: "findMissingSale",
    tags: ["Management"],
    summary: "Find a sale that a partner reports as missing",
    description: `Lists up to ${maxShown} live sales within ${claimDaysAround} days of the given day, with or without a partner, closest in amount first, then in time. Sales that a correction replaced are left out. Only the ${searched} sales before and the ${searched} sales after the middle of these days are searched.`,
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...returns("Sales, closest first", z.object({ data: z.array(NearbySale) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { id: programId, timezone } = c.get("program");
    const { day: asked, amountCents = null, currency = null } = c.req.valid("query");
    const around = {
      ...spanOfSearch(timezone, asked),
      amountCents,
      currency,
      reference: null,
      searched,
      limit: maxShown,
    };
    const found = await readFromDatabase(c, "program", async (database) => ({
      partner: await findPartner(database, programId, partnerId),
      sales: await readOne(database, nearestSales({ programId, isTest: false, ...around })),
    }));
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, sales } = found.value;
    if (partner === undefined) return refuse(c, notFound("partner"));
    return c.json({ data: sales.map((sale) => nearbySaleReply(sale, partnerId, timezone)) }, 200);
  },
});
