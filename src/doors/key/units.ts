import { readUnits, unitRecord } from "#api/units.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

export const listUnits = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/units",
    operationId: "listUnits",
    tags: ["Program"],
    summary: "List units",
    description:
      "Units in which partners are rewarded instead of money, such as free months. If the `currency` of an amount is the code of a unit, the amount has the unit's decimal digits.",
    ...programKeyRequired("keyedList", "read", "manage"),
    responses: {
      ...returns("Units, by code", z.object({ data: z.array(unitRecord.schema), ...warnings })),
      ...readRefusals(),
    },
  }),
  handler: async (c) => {
    const units = await readBy(c, ({ programId }) => readUnits(c, programId));
    return units.ok ? reply(c, { data: [...units.value.values()].map(unitRecord.reply) }) : refuse(c, units.refusal);
  },
});
