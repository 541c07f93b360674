import {
  claimCursor,
  claimPageSize,
  NewClaim,
  OwnClaimReply,
  OwnClaimsReply,
  openingText,
  openOwnClaim,
  readOwnClaims,
} from "#api/own-claims.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals } from "../member/guards.ts";
import { partnerRefusals, partnerSide, partnerWriteRefusals } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

export const listClaims = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/claims",
    operationId: "listOwnClaims",
    tags: ["Partner"],
    summary: "List your claims",
    description: "Sales that you reported as missing, and what the program decided.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object({ cursor: claimCursor(), ...viewField() }) },
    responses: {
      ...returns(`Claims, newest first, ${claimPageSize} per page`, OwnClaimsReply),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const read = await readOwnClaims(c, c.get("partner"), c.req.valid("query").cursor, claimPageSize);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page, meta }, 200);
  },
});

export const openClaim = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/claims",
    operationId: "openOwnClaim",
    tags: ["Partner"],
    summary: "Report a missing sale",
    description: openingText,
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(NewClaim) },
    responses: {
      ...created("Claim opened", OwnClaimReply),
      ...returns("The same claim, which is already open", OwnClaimReply),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "claims_full", "inactive"]),
    },
  }),
  handler: async (c) => {
    const [partner, actorId] = [c.get("partner"), c.get("accountId")];
    const opened = await openOwnClaim(c, { partner, actorId, claimed: c.req.valid("json"), showsCommissions: true });
    if (!opened.ok) return refuse(c, opened.refusal);
    const { claim, isNew } = opened.value;
    return c.json({ data: claim }, isNew ? 201 : 200);
  },
});
