import { createRoute } from "@hono/zod-openapi";
import { body } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { endSession } from "../../../store/accounts/sessions.ts";
import { readFromDatabase } from "../../read-database.ts";
import { signedInAndBody } from "../guards.ts";
import { done, success } from "./done.ts";

const RevokedSession = z.object({ id: fields.filled("id") }).openapi("RevokedSession");

export const revokeSession = endpoint({
  route: createRoute({
    method: "post",
    path: "/revoke-session",
    operationId: "revokeSession",
    tags: ["Sign-in"],
    summary: "Revoke a session",
    ...signedInAndBody(),
    request: { body: body(RevokedSession) },
    responses: {
      ...done("Session revoked, or not found"),
      ...refusals(undefined, [...writeRefusals, ...inputRefusals, ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(RevokedSession),
  handler: async (c) => {
    const { id } = c.req.valid("json");
    const ended = await readFromDatabase(c, (database) => endSession(database, c.get("userId"), id));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});
