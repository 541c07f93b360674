import { commissionStatuses } from "../../../domain/commission-status.ts";
import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import * as z from "../../../http/schema/zod.ts";
import { type CommissionTotal, readCommissionTotals } from "../../../store/views/commission-list.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { inOrder, partnerId } from "../reports/query.ts";
import { bookField, saleDayFields, saleDaysOf } from "./commission-query.ts";

const Query = z.object({ partnerId: partnerId(), ...saleDayFields(), test: bookField() }).refine(...inOrder());

const TotalReply = z
  .object({
    status: z.enum(commissionStatuses),
    reason: z.string().nullable().describe("Reason that `void` commissions pay nothing. Null for any other status."),
    currency: z.string(),
    count: z.int(),
    amountCents: z.int().describe("Sum of the remaining amounts, in the currency's smallest unit."),
    initialCents: z.int().describe("Sum of the amounts before refunds and rejections."),
  })
  .openapi("CommissionTotal");

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
      ...ok("Totals", z.object({ data: z.array(TotalReply) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { partnerId, test, ...days } = c.req.valid("query");
    const book = { programId: c.get("program").id, isTest: test === "only" };
    const filter = { partnerId, days: saleDaysOf(days) };
    const found = await readFromDatabase(c, (database) => readCommissionTotals(database, book, filter));
    return found.ok ? c.json({ data: found.value.map(totalReply) }, 200) : refuse(c, found.refusal);
  },
});

const totalReply = ({ amountCents, initialCents, ...total }: CommissionTotal): z.output<typeof TotalReply> => ({
  ...total,
  amountCents: Number(amountCents),
  initialCents: Number(initialCents),
});
