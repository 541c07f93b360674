import { readFromDatabase } from "#api/read-database.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { sessionTokenOf, setSessionCookie } from "#http/session-cookie.ts";
import { findUser } from "#store/accounts/scope.ts";
import { endSessionByToken } from "#store/accounts/sessions.ts";
import type { Database } from "#store/database.ts";
import { fromOwnOrigin, writeRefusals } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { done, success } from "./done.ts";

export const signOut = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-out",
    operationId: "signOut",
    tags: ["Sign-in"],
    summary: "Sign out",
    description:
      "Ends this session and clears its cookie. Without a session, nothing changes and the response is the same.",
    ...fromOwnOrigin(),
    responses: {
      ...done("Session ended"),
      ...refusals([...writeRefusals, "https_required", "internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    const token = await sessionTokenOf(c);
    if (token !== undefined) {
      const ended = await readFromDatabase(c, "home", (database) => endByToken(c, database, token));
      if (!ended.ok) return refuse(c, ended.refusal);
    }
    await setSessionCookie(c, "", 0);
    return c.json(success, 200);
  },
});

async function endByToken(c: Ctx, database: Database, token: string): Promise<void> {
  const user = await findUser(database, token, c.get("call").at);
  if (user === undefined) return;
  await endSessionByToken(database, token, await accountEvent(c, user.userId, "signed_out"));
}
