import { createRoute } from "@hono/zod-openapi";
import { hashLinkToken } from "../../domain/link-token.ts";
import { roles } from "../../domain/role.ts";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { acceptInvitation as accept } from "../../store/invitations.ts";
import { fromDatabase } from "../from-database.ts";
import { signedInAndBody } from "../session-access.ts";
import { actorOf } from "./by-member.ts";

const Acceptance = z.object({ token: fields.filled("token") }).openapi("Acceptance");

const Accepted = z.object({ workspaceId: z.string(), role: z.enum(roles) }).openapi("Accepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptInvitation",
    tags: ["Management"],
    summary: "Accept an invitation",
    ...signedInAndBody(),
    request: { body: body(Acceptance) },
    responses: {
      ...ok("The new membership", z.object({ data: Accepted })),
      ...refusals(undefined, [
        ...ofWrite,
        ...ofInput,
        "invitation_invalid",
        "state_conflict",
        "cap_reached",
        ...ofSession,
      ]),
    },
  }),
  hook: refuseFaults(Acceptance),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const acceptance = { membershipId: crypto.randomUUID(), tokenHash };
    const accepted = await fromDatabase(c, (database) => accept(database, acceptance, actorOf(c)));
    if (!accepted.ok) return refuse(c, accepted.refusal);
    switch (accepted.value.outcome) {
      case "accepted": {
        const { workspaceId, role } = accepted.value;
        return c.json({ data: { workspaceId, role } }, 200);
      }
      case "already_a_member":
        return refuse(c, { code: "state_conflict", message: "You are already a member of this workspace" });
      case "cap_reached":
        return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
      case "invalid":
        return refuse(c, { code: "invitation_invalid" });
    }
  },
});
