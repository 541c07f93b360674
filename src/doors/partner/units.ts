import { readUnits, unitRecord } from "#api/units.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { partnerRefusals, partnerSide } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

export const listUnits = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/units",
    operationId: "listOwnUnits",
    tags: ["Partner"],
    summary: "List the program's units",
    description: "Units in which partners are rewarded instead of money, such as free months.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("Units, by code", z.object({ data: z.array(unitRecord.schema) })),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const units = await readUnits(c, c.get("partner").programId);
    return units.ok ? c.json({ data: [...units.value.values()].map(unitRecord.reply) }, 200) : refuse(c, units.refusal);
  },
});
