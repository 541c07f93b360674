import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findAccount } from "#store/accounts/users.ts";
import { readFromDatabase } from "../../read-database.ts";
import { partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";

const Profile = z
  .object({
    name: z.string().describe("Of the partner."),
    accountName: z.string(),
    email: z.string().describe("Of your account."),
    role: z.enum(["manage", "view", "owner"]).describe("`owner`: you look at it as an owner of the program."),
  })
  .openapi("PartnerProfile");

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
      ...ok("The profile", z.object({ data: Profile })),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { accountId, role, partner } = c.var;
    const found = await readFromDatabase(c, "home", (database) => findAccount(database, accountId));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "no_session" });
    const { name: accountName, email } = found.value;
    return c.json({ data: { name: partner.partnerName, accountName, email, role } }, 200);
  },
});
