import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

export const revokePartnerInvitations = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/partners/invitations",
    operationId: "revokePartnerInvitations",
    tags: ["Partners' access"],
    summary: "Revoke all open invitations of partners",
    description: "No link that is out works any more. Access that was accepted stays. A repeat changes nothing.",
    ...programMember("admin"),
    request: { params: ProgramPath },
    responses: {
      ...returns("No invitation is open", z.object({ data: z.object({ revoked: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const revoke = { ...actingMember(c), kind: "revoke-partner-invitations" } as const;
    const revoked = await runOperation(c, revoke);
    return revoked.ok ? c.json({ data: { revoked: true as const } }, 200) : refuse(c, revoked.refusal);
  },
});
