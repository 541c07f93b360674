import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readNewestTerms } from "#store/views/join-pages.ts";
import { Terms, termsReply } from "../../member/join/join-record.ts";
import { partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";

export const getTerms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/terms",
    operationId: "getTerms",
    tags: ["Partner"],
    summary: "Read the newest terms",
    description: "Null if the program has none.",
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
