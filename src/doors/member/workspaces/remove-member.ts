import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { withOptionalBody } from "#http/optional-body.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readLeavingMember, removeMember as remove } from "#store/accounts/members.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, reauthenticated, workspaceMember } from "../guards.ts";
import { MemberPath } from "../params.ts";
import { endMade, readMade } from "./end-made.ts";

const Removal = z
  .object({
    end: fields
      .flag("end")
      .default(false)
      .describe("Also ends the API keys that they made, and disables their webhooks."),
  })
  .openapi("MemberRemoval");

const ofProgram = { programId: id(), programName: z.string() };

const RemovedMember = z
  .object({
    id: z.string(),
    ended: z.boolean().describe("False: the keys and webhooks still work."),
    keys: z
      .array(z.object({ ...ofProgram, id: id(), name: z.string(), masked: z.string() }))
      .describe("API keys that they created or rotated."),
    webhooks: z
      .array(z.object({ ...ofProgram, id: id(), url: z.string() }))
      .describe("Active webhooks that they created or changed."),
    invitations: z
      .array(z.object({ ...ofProgram, count: int32() }))
      .describe("Open invitations of partners that they made, which have ended."),
  })
  .openapi("RemovedMember");

const noMember = { code: "not_found", what: "member" } as const;

export const removeMember = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "removeMember",
    tags: ["Management"],
    summary: "Remove a member",
    description:
      "Ends their access to the workspace and the invitations that they made; their account stays. The response names the " +
      "API keys and webhooks that they made, which work on unless `end` is true. A workspace keeps at least one active owner.",
    ...reauthenticated(withOptionalBody(workspaceMember("owner"))),
    request: { params: MemberPath, body: { ...body(Removal), required: false } },
    responses: {
      ...returns("The removed member. The change applies from their next call on.", z.object({ data: RemovedMember })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "last_owner"]),
    },
  }),
  handler: async (c) => {
    const member = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const { end: endsAll } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => readLeavingMember(database, member));
    if (!found.ok) return refuse(c, found.refusal);
    const { member: leaving, otherOwner, programs } = found.value;
    if (leaving === undefined) return refuse(c, noMember);
    if (otherOwner === undefined) return refuse(c, { code: "last_owner" });
    const made = await readMade(c, { userId: leaving.userId, programs });
    if (!made.ok) return refuse(c, made.refusal);
    // First in the programs, so that a call that is sent again after an outage still finds the member.
    const ending = { actorId: actorOf(c).actorId, madeBy: leaving.userId, endsAll };
    const refusal = await endMade(c, made.value, ending);
    if (refusal !== undefined) return refuse(c, refusal);
    const removed = await readFromDatabase(c, "home", (database) => remove(database, member, actorOf(c)));
    if (!removed.ok) return refuse(c, removed.refusal);
    switch (removed.value) {
      case "removed": {
        const { keys, webhooks, invitations } = made.value;
        const lists = { keys: [...keys], webhooks: [...webhooks], invitations: [...invitations] };
        return c.json({ data: { id: member.id, ended: endsAll, ...lists } }, 200);
      }
      case "missing":
        return refuse(c, noMember);
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: removed.value });
    }
  },
});
