import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";
import { Profile, readProfile } from "./profile.ts";

export const getProfile = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/profile",
    operationId: "getPartnerProfile",
    tags: ["Partner"],
    summary: "Get your profile",
    description: "The partner, and the account that you are signed in with.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("The profile", z.object({ data: Profile })),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const found = await readProfile(c, c.var);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
