import { readFromDatabase } from "#api/read-database.ts";
import { refAdder } from "#http/commission-ref.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { findCommission } from "#store/views/commissions.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { CommissionPath } from "../params.ts";
import { commissionRecord, reviewed } from "./commission-record.ts";

const noCommission = { code: "not_found", what: "commission" } as const;

export const getCommission = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions/{commissionId}",
    operationId: "getCommission",
    tags: ["Management"],
    summary: "Get a commission",
    description: "A live commission with its amounts, status and sale. To learn how it was decided, explain its sale.",
    ...programMember("viewer"),
    request: { params: CommissionPath },
    responses: {
      ...returns("The commission", z.object({ data: commissionRecord.schema })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const id = readId(c.req.valid("param").commissionId);
    if (id === undefined) return refuse(c, noCommission);
    const { id: programId } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) => findCommission(database, programId, id));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, noCommission);
    return c.json({ data: commissionRecord.reply(refAdder(c, programId)(reviewed(found.value))) }, 200);
  },
});
