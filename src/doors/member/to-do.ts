import { readFromDatabase } from "#api/read-database.ts";
import { clamped } from "#domain/money.ts";
import { maxCounted, type ToDo, toDoKinds } from "#domain/to-do.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readToDo } from "#store/reports/to-do.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

const Item = z
  .object({
    kind: z
      .enum(toDoKinds)
      .describe(
        "`applications`: applications to become a partner. `claims`: sales that partners reported as missing. `held`, `unconfirmed`: commissions held for review, or unconfirmed. `payable`: partners whom a payout to everyone would pay, beyond what a draft pays them. `details`: payable partners whose payment details changed. `draft`, `unpaid`: payouts that are drafts, or final but not paid. `bonuses`: bonuses that are due to partners and not awarded. `webhooks`: webhooks that fail, or that were disabled because of failures.",
      ),
    count: int64(),
    hasMore: z.boolean().describe(`True if there are more items than \`count\`, which is then ${maxCounted}.`),
    amounts: z
      .array(z.object({ currency: z.string(), cents: int64() }))
      .describe("Sums by currency, never converted. Empty if not all are counted."),
    since: z.iso.datetime().nullable().describe("Time since which the oldest item has been waiting."),
    names: z
      .array(z.string())
      .describe(
        "Names of the oldest items: names of applicants or partners, references of payouts, or hosts of webhooks.",
      ),
    onlyId: id()
      .nullable()
      .describe("Id of the claim, commission, partner, payout or webhook, if it is the only one. Null for bonuses."),
    withoutDetails: int64().describe(
      "For `payable`: number of partners with neither payment details nor an email address to pay to.",
    ),
    heldToo: int64().describe("For `unconfirmed`: number of commissions that are also held."),
  })
  .openapi("ToDo");

export const listToDo = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/to-do",
    operationId: "listToDo",
    tags: ["Management"],
    summary: "List the team's open tasks",
    description:
      "Live data only, sorted by the amount in the program's currency, largest first. Kinds with nothing waiting are left out.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The to-do list", z.object({ data: z.array(Item) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { id: programId, currency, timezone } = c.get("program");
    const wanted = { programId, currency, timezone, at: c.get("call").at };
    const found = await readFromDatabase(c, "program", (database) => readToDo(database, wanted));
    return found.ok ? c.json({ data: found.value.map(reply) }, 200) : refuse(c, found.refusal);
  },
});

const reply = ({ amounts, since, names, ...rest }: ToDo): z.output<typeof Item> => ({
  ...rest,
  amounts: amounts.map(({ currency, cents }) => ({ currency, cents: clamped(cents) })),
  since: timestampOrNull(since),
  names: [...names],
});
