import { createRoute } from "@hono/zod-openapi";
import { body } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { endSession } from "../../store/sessions.ts";
import { fromDatabase } from "../from-database.ts";
import { signedInAndBody } from "../session-access.ts";
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
      ...refusals(undefined, [...ofWrite, ...ofInput, ...ofSession]),
    },
  }),
  hook: refuseFaults(RevokedSession),
  handler: async (c) => {
    const { id } = c.req.valid("json");
    const ended = await fromDatabase(c, (database) => endSession(database, c.get("userId"), id));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});
