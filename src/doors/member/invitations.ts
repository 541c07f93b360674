import { countInvitationView } from "#api/account-limits.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayMs } from "#domain/calendar.ts";
import { hashLinkToken, invitationLink } from "#domain/link-token.ts";
import { notFound } from "#domain/result.ts";
import { roles } from "#domain/role.ts";
import {
  body,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import {
  acceptInvitation as accept,
  createInvitation,
  findInvitation,
  listInvitations as list,
  revokeInvitation as revoke,
} from "#store/accounts/invitations.ts";
import { actorOf } from "./actor.ts";
import {
  fromOwnOrigin,
  inputRefusals,
  memberRefusals,
  memberWriteRefusals,
  reauthenticated,
  sessionWriteRefusals,
  signedInAsMember,
  workspaceMember,
  writeRefusals,
} from "./guards.ts";
import { role } from "./members.ts";
import { InvitationPath, WorkspacePath } from "./params.ts";

const Invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe("The email address that the invitation is for. Null if it was not stored."),
    role: z.enum(roles),
    invitedBy: z.string().describe("Id of the user who created the invitation."),
    invitedByName: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .openapi("Invitation");

export const listInvitations = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/invitations",
    operationId: "listInvitations",
    tags: ["Management"],
    summary: "List open invitations",
    description:
      "An invitation is open until it is used, revoked or expired, as long as its creator is an active owner.",
    ...workspaceMember("owner"),
    request: { params: WorkspacePath },
    responses: {
      ...returns("Open invitations, oldest first", z.object({ data: z.array(Invitation) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const workspace = c.get("workspace");
    const call = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => list(database, workspace.id, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const data = found.value.map(({ createdAt, expiresAt, ...invitation }) => ({
      ...invitation,
      createdAt: timestamp(createdAt),
      expiresAt: timestamp(expiresAt),
    }));
    return c.json({ data }, 200);
  },
});

const validDays = 7;

const NewMember = z
  .object({
    email: fields.email("email").describe("The email address that the invitation is for. No email is sent to it."),
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
        "Invitation created. The response doesn't reveal whether the address has an account.",
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

export const revokeInvitation = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/invitations/{invitationId}",
    operationId: "revokeInvitation",
    tags: ["Management"],
    summary: "Revoke an invitation",
    description: "The link stops working at once. Revoking it again returns 404.",
    ...workspaceMember("owner"),
    request: { params: InvitationPath },
    responses: {
      ...returns("Invitation revoked", z.object({ data: z.object({ id: z.string() }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const invitation = { id: c.req.valid("param").invitationId, workspaceId: c.get("workspace").id };
    const revoked = await readFromDatabase(c, "home", (database) => revoke(database, invitation, actorOf(c)));
    if (!revoked.ok) return refuse(c, revoked.refusal);
    if (!revoked.value) return refuse(c, notFound("invitation"));
    return c.json({ data: { id: invitation.id } }, 200);
  },
});

const InvitationToken = z.object({ token: fields.nonBlank("token") }).openapi("InvitationToken");

const ShownInvitation = z
  .object({
    workspaceName: z.string(),
    role: z.enum(roles),
    email: z.string().nullable().describe("The email address that the invitation is for."),
  })
  .openapi("ShownInvitation");

export const showInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/show",
    operationId: "showInvitation",
    tags: ["Management"],
    summary: "Get an open invitation",
    description: "Requires only the token, not a session. Changes nothing; it is a POST to keep the token out of URLs.",
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { body: body(InvitationToken) },
    responses: {
      ...returns("The workspace and the role in it", z.object({ data: ShownInvitation })),
      ...refusals([...writeRefusals, ...inputRefusals, "invitation_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const found = await readFromDatabase(c, "home", (database) =>
      findInvitation(database, tokenHash, c.get("call").at),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "invitation_invalid" });
    return c.json({ data: found.value }, 200);
  },
});

const Acceptance = z.object({ token: fields.nonBlank("token") }).openapi("Acceptance");

const Accepted = z.object({ workspaceId: z.string(), role: z.enum(roles) }).openapi("Accepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptInvitation",
    tags: ["Management"],
    summary: "Accept an invitation",
    description: "Makes you a member of the workspace, with the invitation's role. An invitation works once.",
    ...withJsonBody(signedInAsMember()),
    request: { body: body(Acceptance) },
    responses: {
      ...returns("The new membership", z.object({ data: Accepted })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "invitation_invalid", "already_member", "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const acceptance = { membershipId: crypto.randomUUID(), tokenHash };
    const accepted = await readFromDatabase(c, "home", (database) => accept(database, acceptance, actorOf(c)));
    if (!accepted.ok) return refuse(c, accepted.refusal);
    switch (accepted.value.outcome) {
      case "accepted": {
        const { workspaceId, role } = accepted.value;
        return c.json({ data: { workspaceId, role } }, 200);
      }
      case "already_a_member":
        return refuse(c, { code: "already_member" });
      case "cap_reached":
        return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
      case "invalid":
        return refuse(c, { code: "invitation_invalid" });
    }
  },
});
