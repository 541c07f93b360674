import { createRoute } from "@hono/zod-openapi";
import { dateUtc } from "../../domain/calendar.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { instant } from "../../http/instant.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { sessionTokenOf } from "../../http/session-cookie.ts";
import { ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listSessions as list } from "../../store/sessions.ts";
import { fromDatabase } from "../from-database.ts";
import { signedIn } from "../session-access.ts";

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
    ...signedIn(),
    responses: {
      ...ok("Your sessions, most recently used first", z.object({ data: z.array(OwnSession) })),
      ...refusals(undefined, ofSession),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const call = c.get("call");
    const found = await fromDatabase(c, (database) => list(database, userId, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const own = await sessionTokenOf(c);
    const data = found.value.map(({ id, token, device, place, createdAt, updatedAt }) => ({
      id,
      current: token === own,
      device,
      place,
      createdAt: instant(createdAt.getTime()),
      lastUsedOn: dateUtc(updatedAt.getTime()),
    }));
    return c.json({ data }, 200);
  },
});
