import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals } from "../../member/guards.ts";
import { partnerSide, partnerWriteRefusals } from "../guards.ts";
import { PartnerSidePath } from "../params.ts";

const Acceptance = z.object({ version: fields.integer("version", 1, 1_000_000) }).openapi("TermsAcceptance");

export const acceptTerms = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/terms/accept",
    operationId: "acceptTerms",
    tags: ["Partner"],
    summary: "Accept the newest terms",
    description: "Stores which version your account accepted, and when. A repeat changes nothing.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(Acceptance) },
    responses: {
      ...returns("Accepted", z.object({ data: z.object({ version: int32() }) })),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "terms_changed"]),
    },
  }),
  handler: async (c) => {
    const { version } = c.req.valid("json");
    const { programId, partnerId } = c.get("partner");
    const actorId = c.get("accountId");
    const accept = { ...c.get("call"), actorId, kind: "accept-terms", programId, partnerId, version } as const;
    const accepted = await runOperation(c, accept);
    return accepted.ok ? c.json({ data: { version } }, 200) : refuse(c, accepted.refusal);
  },
});
