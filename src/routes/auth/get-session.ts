import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { instant } from "../../http/instant.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import * as z from "../../http/zod.ts";
import { UserReply, userReply } from "./user.ts";
import { withAuth } from "./with-auth.ts";

const SessionReply = z
  .object({
    session: z.object({ id: z.string(), userId: z.string(), createdAt: z.iso.datetime(), expiresAt: z.iso.datetime() }),
    user: UserReply,
  })
  .nullable()
  .openapi("Session");

export const getSession = endpoint({
  route: createRoute({
    method: "get",
    path: "/get-session",
    operationId: "getSession",
    tags: ["Sign-in"],
    summary: "Who is signed in; null: nobody",
    security: [{}, { session: [] }],
    responses: {
      ...ok("The session, which lives on for a week from now", SessionReply),
      ...refusals(undefined, ["internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    const found = await withAuth(c, (auth) => auth.api.getSession({ headers: c.req.raw.headers, returnHeaders: true }));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === null) return c.json(null, 200);
    const { session, user } = found.value;
    const { id, userId, createdAt, expiresAt } = session;
    const dates = { createdAt: instant(createdAt.getTime()), expiresAt: instant(expiresAt.getTime()) };
    return c.json({ session: { id, userId, ...dates }, user: userReply(user) }, 200);
  },
});
