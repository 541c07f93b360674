import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { endSession } from "#store/accounts/sessions.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { done, success } from "./done.ts";

const RevokedSession = z.object({ id: fields.nonBlank("id") }).openapi("RevokedSession");

export const revokeSession = endpoint({
  route: createRoute({
    method: "post",
    path: "/revoke-session",
    operationId: "revokeSession",
    tags: ["Sign-in"],
    summary: "Revoke a session",
    description: "Signs that browser out from its next call on. A repeat changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(RevokedSession) },
    responses: {
      ...done("Session revoked, or not found"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { id } = c.req.valid("json");
    const event = await accountEvent(c, c.get("userId"), "session_ended");
    const ended = await readFromDatabase(c, "home", (database) => endSession(database, id, event));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});
