import { Terms, termsReply } from "#api/join.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readNewestTerms } from "#store/views/join-pages.ts";
import { inputRefusals } from "../member/guards.ts";
import { partnerRefusals, partnerSide, partnerWriteRefusals } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

export const getTerms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/terms",
    operationId: "getTerms",
    tags: ["Partner"],
    summary: "Read the newest terms",
    description: "Returns the newest version. Null if the program has no terms.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("The terms", z.object({ data: Terms.nullable() })),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { programId } = c.get("partner");
    const found = await readFromDatabase(c, "program", (database) => readNewestTerms(database, programId));
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value === undefined ? null : termsReply(found.value) }, 200);
  },
});

const Acceptance = z.object({ version: fields.integer("version", 1, 1_000_000) }).openapi("TermsAcceptance");

export const acceptTerms = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/terms/accept",
    operationId: "acceptTerms",
    tags: ["Partner"],
    summary: "Accept the newest terms",
    description: "Stores the version that your account accepted, and the time. A repeat changes nothing.",
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
