import { BreakdownReply, breakdownReply, readBreakdown } from "#api/breakdown.ts";
import { fewDays, filterFields, ofProgramFields, periodOf } from "#api/breakdown-query.ts";
import { bothDays, inOrder, maxDays, ofDays } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { groupings } from "#domain/breakdown.ts";
import { dayIn } from "#domain/calendar.ts";
import { notFound, refused } from "#domain/result.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { inCamelCase, inSnakeCase, snakeInput, snakeSchema } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { programById } from "#store/programs.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

const range = ["date_from", "date_to"] as const;

const Query = snakeInput(
  z.object({ ...periodOf(snakeCase, groupings), ...ofProgramFields(), ...filterFields(snakeCase) }),
)
  .refine(...bothDays(...range))
  .refine(...inOrder(...range))
  .refine(...ofDays(maxDays, ...range))
  .refine(...fewDays(snakeCase));

const Reply = z.object({
  data: snakeSchema(BreakdownReply.shape.data).openapi("Performance"),
  meta: snakeSchema(BreakdownReply.shape.meta),
  ...warnings,
});

export const getPerformance = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/performance",
    operationId: "getPerformance",
    tags: ["Program"],
    summary: "Get a program's figures by group",
    description:
      "The groups add up to the totals. Each filter limits all figures. Only live events count, by the day of the event in the program's time zone. Counts include all currencies; amounts are in one currency. The figures are computed from events during the call, which takes up to 10 seconds for a million clicks. A program can run one such call at a time.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: Query },
    responses: { ...returns("Figures by group", Reply), ...readRefusals("invalid_input", "breakdown_running") },
  }),
  handler: async (c) => {
    const asked = inCamelCase(c.req.valid("query"));
    const { at, operationId } = c.get("call");
    const read = await readBy(c, async ({ programId }) => {
      const found = await readFromDatabase(c, "program", (database) =>
        readOne(database, programById({ id: programId })),
      );
      if (!found.ok) return found;
      if (found.value === undefined) return refused(notFound("program"));
      const { timezone, currency } = found.value;
      const today = dayIn(timezone, at);
      // A user's new read ends the user's earlier read. The turn has the call's id instead of a user's id, so that
      // reads with the same key don't end each other.
      const turn = { kind: "breakdown", programId, userId: operationId } as const;
      const whole = await readBreakdown(c, { programId, timezone, currency }, turn, { ...asked, today });
      return whole.ok ? breakdownReply(c, whole.value) : whole;
    });
    return read.ok ? reply(c, inSnakeCase(read.value)) : refuse(c, read.refusal);
  },
});
