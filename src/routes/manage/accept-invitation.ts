import { createRoute } from "@hono/zod-openapi";
import { roles } from "../../domain/role.ts";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { acceptInvitation as accept } from "../../store/workspaces.ts";
import { fromDatabase } from "../from-database.ts";
import { signedInAndBody } from "../session-access.ts";
import { hashOfToken } from "./invitation.ts";

const Acceptance = z.object({ token: fields.filled("token") }).openapi("Acceptance");

const Accepted = z.object({ workspaceId: z.string(), role: z.enum(roles) }).openapi("Accepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptInvitation",
    tags: ["Management"],
    summary: "Become a member by an invitation's token",
    ...signedInAndBody(),
    request: { body: body(Acceptance) },
    responses: {
      ...ok("A member from now on", z.object({ data: Accepted })),
      ...refusals(undefined, [...ofWrite, ...ofInput, "invitation_invalid", "state_conflict", ...ofSession]),
    },
  }),
  hook: refuseFaults(Acceptance),
  handler: async (c) => {
    const { userId, call } = c.var;
    const tokenHash = hashOfToken(c.req.valid("json").token);
    const acceptance = { id: crypto.randomUUID(), tokenHash, userId, at: call.at };
    const accepted = await fromDatabase(c, (database) => accept(database, acceptance));
    if (!accepted.ok) return refuse(c, accepted.refusal);
    switch (accepted.value.outcome) {
      case "accepted": {
        const { workspaceId, role } = accepted.value;
        return c.json({ data: { workspaceId, role } }, 200);
      }
      case "already_a_member":
        return refuse(c, { code: "state_conflict", message: "You have a place in this workspace already" });
      case "invalid":
        return refuse(c, { code: "invitation_invalid" });
    }
  },
});
