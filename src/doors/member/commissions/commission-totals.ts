import { readFromDatabase } from "#api/read-database.ts";
import { shownStatuses } from "#domain/commission-status.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readCommissionTotals } from "#store/views/commission-totals.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { inOrder, partnerId } from "../reports/query.ts";
import { bookField, payoutId, saleDayFields, saleDaysOf } from "./commission-query.ts";

const Query = z
  .object({ partnerId: partnerId(), payoutId: payoutId(), ...saleDayFields(), test: bookField() })
  .refine(...inOrder());

const totalRecord = record("CommissionTotal", {
  status: z.enum(shownStatuses),
  reason: z.string().nullable().describe("Reason that `void` commissions pay nothing. Null for any other status."),
  currency: z.string(),
  count: int64(),
  amountCents: sum("Sum of the remaining amounts, in the currency's smallest unit."),
  initialCents: sum("Sum of the amounts before refunds and rejections."),
  unconfirmed: int64().describe("Number of commissions whose attribution only a browser reported."),
  unconfirmedCents: sum("Sum of their remaining amounts."),
  held: int64().describe("Number of commissions that are held."),
  heldCents: sum("Sum of their remaining amounts."),
});

export const commissionTotals = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions/totals",
    operationId: "getCommissionTotals",
    tags: ["Management"],
    summary: "Get the totals of a program's commissions",
    description: "One entry for each status, reason and currency. Amounts are never converted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Totals", z.object({ data: z.array(totalRecord.schema) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, payoutId, test, ...days } = c.req.valid("query");
    const book = { programId: c.get("program").id, isTest: test === "only" };
    const filter = { partnerId, payoutId, days: saleDaysOf(days) };
    const found = await readFromDatabase(c, "program", (database) => readCommissionTotals(database, book, filter));
    return found.ok ? c.json({ data: found.value.map(totalRecord.reply) }, 200) : refuse(c, found.refusal);
  },
});
