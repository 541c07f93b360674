import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { endOtherSessions } from "#store/accounts/sessions.ts";
import { sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { done, success } from "./done.ts";

export const revokeOtherSessions = endpoint({
  route: createRoute({
    method: "post",
    path: "/revoke-other-sessions",
    operationId: "revokeOtherSessions",
    tags: ["Sign-in"],
    summary: "Revoke all your other sessions",
    description: "Signs out every browser but this one, from its next call on.",
    ...signedIn(),
    responses: { ...done("Sessions revoked"), ...refusals(sessionWriteRefusals) },
  }),
  handler: async (c) => {
    const token = (await sessionTokenOf(c)) ?? "";
    const event = await accountEvent(c, c.get("userId"), "other_sessions_ended");
    const ended = await readFromDatabase(c, "home", (database) => endOtherSessions(database, token, event));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});
