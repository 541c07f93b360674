import { readFromDatabase } from "#api/read-database.ts";
import { commonRefusals, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { announceUserLimit, countUser } from "#http/rate-limits.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { cookieTokenOf, setSessionCookie, storedToken } from "#http/session-cookie.ts";
import { useSession } from "#store/accounts/sessions.ts";
import { UserReply, userReply } from "./user.ts";

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
    summary: "Get the current session",
    description: "Requires no session: without a valid one, the response is `null`, not 401.",
    security: [{}, { session: [] }],
    responses: {
      ...returns(
        "The current session, or null. Once a day, this call renews the session for a week, up to 30 days after sign-in.",
        SessionReply,
      ),
      ...refusals(commonRefusals),
    },
  }),
  handler: async (c) => {
    announceUserLimit(c);
    const token = await cookieTokenOf(c);
    if (token === undefined) return c.json(null, 200);
    const { at } = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => useSession(database, storedToken(token), at));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return c.json(null, 200);
    const { session, user, isRenewed } = found.value;
    const overLimit = await countUser(c, user.userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const expiresAt = session.expiresAt.getTime();
    if (isRenewed) await setSessionCookie(c, token, Math.floor((expiresAt - at) / 1000));
    const dates = { createdAt: timestamp(session.createdAt.getTime()), expiresAt: timestamp(expiresAt) };
    return c.json({ session: { id: session.id, userId: user.userId, ...dates }, user: userReply(user) }, 200);
  },
});
