import { readFromDatabase } from "#api/read-database.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findPartnerAccess } from "#store/views/partner-access.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";

const noPartner = { code: "not_found", what: "partner" } as const;

const Access = z
  .object({
    accountId: z.string(),
    email: z.string().nullable().describe("Null if the account is gone."),
    role: z.enum(partnerRoles),
    since: z.iso.datetime(),
  })
  .openapi("PartnerAccess");

export const listAccess = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/access",
    operationId: "listPartnerAccess",
    tags: ["Partners' access"],
    summary: "List who has access to a partner's side",
    description: "Their accounts, and whether an invitation is open.",
    ...programMember("admin"),
    request: { params: PartnerPath },
    responses: {
      ...returns(
        "Accounts, oldest access first",
        z.object({
          data: z.array(Access),
          meta: z.object({ invitedUntil: z.iso.datetime().nullable().describe("While a link is open.") }),
        }),
      ),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const { id: programId } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerAccess(database, { programId, partnerId, at: c.get("call").at }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, accounts, invitation } = found.value;
    if (partner === undefined) return refuse(c, noPartner);
    const ids = accounts.map(({ accountId }) => accountId);
    const emails = await readFromDatabase(c, "home", (database) => readEmails(database, ids));
    if (!emails.ok) return refuse(c, emails.refusal);
    const data = accounts.map(({ accountId, role, createdAt }) => ({
      ...{ accountId, email: emails.value.get(accountId) ?? null, role, since: timestamp(createdAt) },
    }));
    return c.json({ data, meta: { invitedUntil: timestampOrNull(invitation?.expiresAt ?? null) } }, 200);
  },
});
