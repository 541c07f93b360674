import { readFromDatabase } from "#api/read-database.ts";
import { dayMs } from "#domain/calendar.ts";
import { hashLinkToken, invitationLink } from "#domain/link-token.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import { createInvitation } from "#store/accounts/invitations.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, reauthenticated, workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";
import { role } from "./member-reply.ts";

const validDays = 7;

const NewMember = z
  .object({
    email: fields.email("email").describe("The e-mail address that the invitation is for. No e-mail is sent to it."),
    role: role(),
  })
  .openapi("NewMember");

const Invited = z
  .object({
    status: z.literal("invited"),
    inviteUrl: z
      .string()
      .describe("Link that makes the first person who accepts it a member. Shown only once; deliver it yourself."),
  })
  .openapi("Invited");

export const inviteMember = endpoint({
  route: createRoute({
    method: "post",
    path: "/workspaces/{workspaceId}/members",
    operationId: "inviteMember",
    tags: ["Management"],
    summary: "Invite a member",
    description: `The invitation link works once, within ${validDays} days, as long as its creator is an owner.`,
    ...reauthenticated(withJsonBody(workspaceMember("owner"))),
    request: { params: WorkspacePath, body: body(NewMember) },
    responses: {
      ...created(
        "Invitation created. The response is the same whoever the address belongs to.",
        z.object({ data: Invited }),
      ),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const workspace = c.get("workspace");
    const call = c.get("call");
    const token = randomSecret();
    const invitation = {
      id: crypto.randomUUID(),
      workspaceId: workspace.id,
      tokenHash: hashLinkToken(token),
      email: c.req.valid("json").email,
      role: c.req.valid("json").role,
      invitedBy: userId,
      expiresAt: call.at + validDays * dayMs,
      acceptedAt: null,
      revokedAt: null,
      createdAt: call.at,
    };
    const saved = await readFromDatabase(c, "home", (database) => createInvitation(database, invitation, actorOf(c)));
    if (!saved.ok) return refuse(c, saved.refusal);
    if (!saved.value) return refuse(c, { code: "cap_reached", cap: "openInvitations" });
    const inviteUrl = invitationLink(originOf(c), token);
    return c.json({ data: { status: "invited" as const, inviteUrl } }, 201);
  },
});
