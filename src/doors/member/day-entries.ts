import { day } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit } from "#api/units.ts";
import { entryKinds, shownStatuses } from "#domain/commission-status.ts";
import { notFound } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { dayEntries } from "#store/reports/day-entries.ts";
import { findPartner } from "#store/views/partners.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const maxShown = 200;

const Query = z.object({
  day: day("day"),
  currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
});

const entryRecord = record("DayEntry", {
  kind: z.enum(entryKinds),
  amountCents: int64().describe("Amount in the currency's smallest unit."),
  commissionId: id(),
  saleId: id(),
  transactionId: z.string(),
  saleDate: z.string().describe("Day of the sale in the program's time zone."),
  status: z.enum(shownStatuses).describe("Present status of the commission."),
  held: z.boolean().describe("True if the commission is held for review now."),
});

const Reply = z
  .object({
    data: z.array(entryRecord.schema),
    meta: z.object({ hasMore: z.boolean().describe(`True if the day has more than ${maxShown} entries.`) }),
  })
  .openapi("DayEntries");

export const listDayEntries = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/day-entries",
    operationId: "listDayEntries",
    tags: ["Dashboard"],
    summary: "List the entries of a partner's commission on a day",
    description:
      `The live ledger entries that add up to the partner's \`commissionCents\` of that day in the performance figures, in the order of posting, at most ${maxShown}. ` +
      "Entries of corrected sales are left out, as in the figures.",
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...returns("The entries", Reply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const program = c.get("program");
    const { day: asked, currency = program.currency } = c.req.valid("query");
    const account = { programId: program.id, partnerId, currency };
    const found = await readFromDatabase(c, "program", async (database) => ({
      partner: await findPartner(database, program.id, partnerId),
      entries: await readOne(database, dayEntries({ ...account, day: asked, limit: maxShown + 1 })),
    }));
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, entries } = found.value;
    if (partner === undefined) return refuse(c, notFound("partner"));
    const data = entries.slice(0, maxShown).map((entry) => entryRecord.reply(entry));
    return c.json({ data, meta: { hasMore: entries.length > maxShown } }, 200);
  },
});
