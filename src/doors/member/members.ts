import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import type { Shard } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound, ok, type Result } from "#domain/result.ts";
import { memberStatuses, roles } from "#domain/role.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { withOptionalBody } from "#http/optional-body.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import {
  leaveWorkspace as leave,
  listMembers as list,
  type PlacedProgram,
  readLeavingMember,
  removeMember as remove,
  updateMember as update,
} from "#store/accounts/members.ts";
import { type MadeByMember, readMadeByMember } from "#store/views/made-by-member.ts";
import { actorOf } from "./actor.ts";
import {
  inputRefusals,
  memberRefusals,
  memberWriteRefusals,
  reauthenticated,
  workspaceMember,
  workspaceMemberLeaving,
  writeRefusals,
} from "./guards.ts";
import { MemberPath, WorkspacePath } from "./params.ts";

interface Leaving {
  readonly userId: string;
  readonly programs: readonly PlacedProgram[];
}

/** Reads what the member created in all programs of the workspace, on all shards. */
async function readMade(c: Ctx, { userId, programs }: Leaving): Promise<Result<MadeByMember>> {
  const { at } = c.get("call");
  const shards = Map.groupBy(programs, ({ shard }) => shard);
  const found = await readFromShards(c, (databaseOf) =>
    Promise.all(
      [...shards].map(([shard, placed]: [Shard, readonly PlacedProgram[]]) =>
        readMadeByMember(databaseOf(shard), { userId, programIds: placed.map(({ programId }) => programId), at }),
      ),
    ),
  );
  if (!found.ok) return found;
  return ok({
    keys: found.value.flatMap(({ keys }) => keys),
    webhooks: found.value.flatMap(({ webhooks }) => webhooks),
    invitations: found.value.flatMap(({ invitations }) => invitations),
  });
}

interface Ending {
  readonly actorId: string;
  readonly madeBy: string;
  /** If true, also ends keys and webhooks. */
  readonly endsAll: boolean;
  /** True for the second pass of the same call, which needs different operation ids. */
  readonly isAgain?: boolean;
}

/**
 * Revokes the member's partner invitations and, with `endsAll`, their keys and webhooks. A repeated call ends what is
 * left.
 */
async function endMade(
  c: Ctx,
  { keys, webhooks, invitations }: MadeByMember,
  { actorId, madeBy, endsAll, isAgain = false }: Ending,
): Promise<Refusal | undefined> {
  const { operationId: called, at } = c.get("call");
  const operationId = isAgain ? `${called}.again` : called;
  const by = (programId: number, what: string) => ({
    operationId: `${operationId}.${programId}.${what}`,
    at,
    actorId,
    programId,
  });
  for (const { programId } of invitations) {
    const revoke = { ...by(programId, "invitations"), kind: "revoke-partner-invitations", madeBy } as const;
    const revoked = await runOperation(c, revoke);
    if (!revoked.ok) return revoked.refusal;
  }
  if (!endsAll) return undefined;
  for (const { programId, id } of keys) {
    const retire = { ...by(programId, `key ${id}`), kind: "retire-key", keyId: id } as const;
    const retired = await runOperation(c, retire);
    if (!retired.ok) return retired.refusal;
  }
  for (const { programId, id } of webhooks) {
    const changes = { status: "disabled" } as const;
    const disable = { ...by(programId, `webhook ${id}`), kind: "update-webhook", webhookId: id, changes } as const;
    const disabled = await runOperation(c, disable);
    // An archived program doesn't send webhooks, so this refusal is fine.
    if (!disabled.ok && disabled.refusal.code !== "program_archived") return disabled.refusal;
  }
  return undefined;
}

const unlike = <Made extends { readonly id: number }>(before: readonly Made[], now: readonly Made[]): Made[] => [
  ...before,
  ...now.filter(({ id }) => before.every((each) => each.id !== id)),
];

/**
 * Reads again what the member created, and ends it, because a call of the member may have been in progress during the
 * removal. `ended` is false if something still works.
 */
async function allMade(c: Ctx, leaving: Leaving, before: MadeByMember, ending: Ending) {
  const found = await readMade(c, leaving);
  const refusal = found.ok ? await endMade(c, found.value, { ...ending, isAgain: true }) : found.refusal;
  const now = found.ok ? found.value : { keys: [], webhooks: [], invitations: [] };
  return {
    ended: ending.endsAll && refusal === undefined,
    keys: unlike(before.keys, now.keys),
    webhooks: unlike(before.webhooks, now.webhooks),
    invitations: [...before.invitations, ...now.invitations],
  };
}

const MemberReply = z
  .object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    status: z.enum(memberStatuses),
    twoFactor: z.boolean().describe("True if signing in requires a code."),
  })
  .openapi("Member");

export const role = () => fields.oneOf("role", roles);

export const listMembers = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/members",
    operationId: "listMembers",
    tags: ["Management"],
    summary: "List a workspace's members",
    description: "Includes suspended members. Open invitations are listed separately.",
    ...workspaceMember("viewer"),
    request: { params: WorkspacePath },
    responses: {
      ...returns("Members, oldest first", z.object({ data: z.array(MemberReply) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", (database) => list(database, c.get("workspace").id));
    return found.ok ? c.json({ data: [...found.value] }, 200) : refuse(c, found.refusal);
  },
});

const MemberChanges = z
  .object({
    role: fields.omittable(role()),
    status: fields.omittable(fields.oneOf("status", memberStatuses)),
  })
  .openapi("MemberChanges");

export const updateMember = endpoint({
  route: createRoute({
    method: "patch",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "updateMember",
    tags: ["Management"],
    summary: "Update a member",
    description:
      "Changes a member's role, or suspends or reactivates them. A workspace keeps at least one active owner.",
    ...reauthenticated(withJsonBody(workspaceMember("owner"))),
    request: { params: MemberPath, body: body(MemberChanges) },
    responses: {
      ...returns(
        "The updated member. The change applies from the member's next call on.",
        z.object({ data: MemberReply }),
      ),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "last_owner", "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const member = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const changes = c.req.valid("json");
    const changed = await readFromDatabase(c, "home", (database) => update(database, member, changes, actorOf(c)));
    if (!changed.ok) return refuse(c, changed.refusal);
    switch (changed.value.outcome) {
      case "changed":
        return c.json({ data: changed.value.member }, 200);
      case "missing":
        return refuse(c, notFound("member"));
      case "cap_reached":
        return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: changed.value.outcome });
    }
  },
});

const Removal = z
  .object({
    end: fields
      .flag("end")
      .default(false)
      .describe("Also ends the API keys that the member created, and disables their webhooks."),
  })
  .openapi("MemberRemoval");

const ofProgram = { programId: id(), programName: z.string() };

const RemovedMember = z
  .object({
    id: z.string(),
    ended: z
      .boolean()
      .describe("True if the member's keys and webhooks were ended too. If false, some of them may still work."),
    keys: z
      .array(z.object({ ...ofProgram, id: id(), name: z.string(), masked: z.string() }))
      .describe("API keys that the member created or rotated."),
    webhooks: z
      .array(z.object({ ...ofProgram, id: id(), url: z.string() }))
      .describe("Active webhooks that the member created or changed."),
    invitations: z
      .array(z.object({ ...ofProgram, count: int32() }))
      .describe("Open partner invitations that the member created. They have ended."),
  })
  .openapi("RemovedMember");

const sayingWhy = (refusal: Refusal): Refusal =>
  refusal.code === "unavailable" ? { ...refusal, code: "programs_unavailable" } : refusal;

export const removeMember = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "removeMember",
    tags: ["Management"],
    summary: "Remove a member",
    description:
      "Ends the member's access to the workspace, and the invitations that they created. Their account stays. The response lists the API keys and webhooks that they created, which keep working unless `end` is true. A workspace keeps at least one active owner.",
    ...reauthenticated(withOptionalBody(workspaceMember("owner"))),
    request: { params: MemberPath, body: { ...body(Removal), required: false } },
    responses: {
      ...returns(
        "The removed member. The change applies from the member's next call on.",
        z.object({ data: RemovedMember }),
      ),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "last_owner", "programs_unavailable"]),
    },
  }),
  handler: async (c) => {
    const member = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const { end: endsAll } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => readLeavingMember(database, member));
    if (!found.ok) return refuse(c, found.refusal);
    const { member: leaving, otherOwner, programs } = found.value;
    if (leaving === undefined) return refuse(c, notFound("member"));
    if (otherOwner === undefined) return refuse(c, { code: "last_owner" });
    const theirs = { userId: leaving.userId, programs };
    const made = await readMade(c, theirs);
    if (!made.ok) return refuse(c, sayingWhy(made.refusal));
    // Ends keys, webhooks and invitations in the programs before the membership. If the call fails halfway, a repeated
    // call still finds the member.
    const ending = { actorId: actorOf(c).actorId, madeBy: leaving.userId, endsAll };
    const refusal = await endMade(c, made.value, ending);
    if (refusal !== undefined) return refuse(c, sayingWhy(refusal));
    const removed = await readFromDatabase(c, "home", (database) => remove(database, member, actorOf(c)));
    if (!removed.ok) return refuse(c, removed.refusal);
    switch (removed.value) {
      case "removed": {
        return c.json({ data: { id: member.id, ...(await allMade(c, theirs, made.value, ending)) } }, 200);
      }
      case "missing":
        return refuse(c, notFound("member"));
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: removed.value });
    }
  },
});

export const leaveWorkspace = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/membership",
    operationId: "leaveWorkspace",
    tags: ["Management"],
    summary: "Leave a workspace",
    description:
      "Any member can leave, even without the two-factor authentication that the workspace requires. Open invitations for your email address, and those that you created, stop working.",
    ...workspaceMemberLeaving(),
    request: { params: WorkspacePath },
    responses: {
      ...returns(
        "The workspace that you left. You lose access from the next call on.",
        z.object({ data: z.object({ id: z.string() }) }),
      ),
      ...refusals([...writeRefusals, ...memberRefusals, "last_owner"]),
    },
  }),
  handler: async (c) => {
    const { id } = c.get("workspace");
    const left = await readFromDatabase(c, "home", (database) => leave(database, id, actorOf(c)));
    if (!left.ok) return refuse(c, left.refusal);
    return left.value === "left" ? c.json({ data: { id } }, 200) : refuse(c, { code: left.value });
  },
});
