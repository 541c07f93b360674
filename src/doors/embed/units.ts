import { readUnits, unitRecord } from "#api/units.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals } from "./guards.ts";

export const listUnits = endpoint({
  route: createRoute({
    method: "get",
    path: "/units",
    operationId: "listEmbedUnits",
    tags: ["Embed"],
    summary: "List the program's units",
    description: "Units in which partners are rewarded instead of money, such as free months.",
    ...embedded(),
    request: { headers: EmbedHeaders },
    responses: {
      ...returns("Units, by code", z.object({ data: z.array(unitRecord.schema) })),
      ...refusals(embedRefusals),
    },
  }),
  handler: async (c) => {
    const units = await readUnits(c, c.get("embedded").program.id);
    return units.ok ? c.json({ data: [...units.value.values()].map(unitRecord.reply) }, 200) : refuse(c, units.refusal);
  },
});
