import { readFromDatabase } from "#api/read-database.ts";
import { dateUtc } from "#domain/calendar.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { listSessions as list } from "#store/accounts/sessions.ts";
import { sessionRefusals, signedIn } from "../guards.ts";

const OwnSession = z
  .object({
    id: z.string(),
    current: z.boolean().describe("True for the session that makes this call."),
    device: z.string().nullable().openapi({ example: "Firefox on Linux" }),
    place: z.string().nullable().describe("Country of the sign-in.").openapi({ example: "NL" }),
    createdAt: z.iso.datetime(),
    lastUsedOn: z.iso.date().describe("Day of the last use, in UTC."),
  })
  .openapi("OwnSession");

export const listSessions = endpoint({
  route: createRoute({
    method: "get",
    path: "/list-sessions",
    operationId: "listSessions",
    tags: ["Sign-in"],
    summary: "List your sessions",
    description: "One for each browser in which you are signed in. Revoke those that you don't recognize.",
    ...signedIn(),
    responses: {
      ...returns("Your sessions, most recently used first", z.object({ data: z.array(OwnSession) })),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const call = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => list(database, userId, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const own = await sessionTokenOf(c);
    const data = found.value.map(({ id, token, device, place, createdAt, updatedAt }) => ({
      id,
      current: token === own,
      device,
      place,
      createdAt: timestamp(createdAt.getTime()),
      lastUsedOn: dateUtc(updatedAt.getTime()),
    }));
    return c.json({ data }, 200);
  },
});
