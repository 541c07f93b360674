import { countInvitationView } from "#api/account-limits.ts";
import {
  EstimateReply,
  estimateOfPartner,
  estimateReply,
  JoinPageEstimate,
  NewEstimate,
  termsOfNewcomer,
} from "#api/estimate.ts";
import { readJoinPage } from "#api/join.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../member/guards.ts";
import { partnerRefusals, partnerSideRead } from "./guards.ts";
import { JoinPath, PartnerSidePath, viewField } from "./params.ts";

const assumption =
  "Computes the commission for payments that a new customer makes from now on, if the customer is attributed to the partner and uses no coupon. Stores nothing.";

export const estimateOwn = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/estimate",
    operationId: "estimateOwn",
    tags: ["Partner"],
    summary: "Estimate what you would earn",
    description: assumption,
    ...withJsonBody(partnerSideRead()),
    request: { params: PartnerSidePath, query: z.object(viewField()), body: body(NewEstimate) },
    responses: {
      ...returns("The commission for each payment", EstimateReply),
      ...refusals([...writeRefusals, ...partnerRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const estimated = await estimateOfPartner(c, c.get("partner"), c.req.valid("json"));
    return estimated.ok ? c.json(estimated.value, 200) : refuse(c, estimated.refusal);
  },
});

export const estimateOnJoinPage = endpoint({
  route: createRoute({
    method: "post",
    path: "/{slug}/estimate",
    operationId: "estimateOnJoinPage",
    tags: ["Join"],
    summary: "Estimate what a new partner would earn",
    description: `${assumption} Requires no session. Ignores rules for products, as if the payments had no product.`,
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { params: JoinPath, body: body(JoinPageEstimate) },
    responses: {
      ...returns("The commission for each payment", EstimateReply),
      ...refusals([...writeRefusals, ...inputRefusals, "not_found", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readJoinPage(c, c.req.valid("param").slug);
    if (!found.ok) return refuse(c, found.refusal);
    const { program, deciding } = found.value;
    const terms = termsOfNewcomer(deciding, program);
    return c.json(estimateReply(terms, c.req.valid("json"), c.get("call").at), 200);
  },
});
