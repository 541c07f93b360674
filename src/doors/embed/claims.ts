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
import { actorOfEmbed } from "#domain/actor.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals, embedWriteRefusals } from "./guards.ts";

export const listClaims = endpoint({
  route: createRoute({
    method: "get",
    path: "/claims",
    operationId: "listEmbedClaims",
    tags: ["Embed"],
    summary: "List your claims",
    description:
      "Sales that you reported as missing, and what the program decided. Empty until the user creates a link.",
    ...embedded("claims"),
    request: { headers: EmbedHeaders, query: z.object({ cursor: claimCursor() }) },
    responses: {
      ...returns(`Claims, newest first, ${claimPageSize} per page`, OwnClaimsReply),
      ...refusals([...embedRefusals, "not_found", "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partner } = c.get("embedded");
    if (partner === undefined) return c.json({ data: [], meta: { nextCursor: null } }, 200);
    const read = await readOwnClaims(c, partner, c.req.valid("query").cursor, claimPageSize);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page, meta }, 200);
  },
});

export const openClaim = endpoint({
  route: createRoute({
    method: "post",
    path: "/claims",
    operationId: "openEmbedClaim",
    tags: ["Embed"],
    summary: "Report a missing sale",
    description: `${openingText} Before the user creates a link, responds with 409 \`inactive\`.`,
    ...withJsonBody(embedded("claims")),
    request: { headers: EmbedHeaders, body: body(NewClaim) },
    responses: {
      ...created("Claim opened", OwnClaimReply),
      ...returns("The same claim, which is already open", OwnClaimReply),
      ...refusals([...embedWriteRefusals, "not_found", "claims_full", "inactive"]),
    },
  }),
  handler: async (c) => {
    const { partner, token } = c.get("embedded");
    if (partner === undefined) return refuse(c, { code: "inactive" });
    const opened = await openOwnClaim(c, {
      partner,
      actorId: actorOfEmbed(token.keyId),
      claimed: c.req.valid("json"),
      showsCommissions: c.get("show").commissions,
    });
    if (!opened.ok) return refuse(c, opened.refusal);
    const { claim, isNew } = opened.value;
    return c.json({ data: claim }, isNew ? 201 : 200);
  },
});
