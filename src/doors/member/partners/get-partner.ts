import { PaymentSummary, paymentSummary } from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { balanceOf } from "#domain/balance.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findPartnerWithBalances } from "#store/views/partners.ts";
import { BalanceAmounts } from "../balances/balance-record.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { seesEmails } from "../sees-emails.ts";
import { linkRecord, linkReplies } from "./link-record.ts";
import { flagsOf, partnerFlags } from "./partner-flags.ts";
import { partnerRecord, partnerReply } from "./partner-record.ts";

const noPartner = { code: "not_found", what: "partner" } as const;

const PartnerWithBalances = z
  .object({
    ...partnerRecord.schema.shape,
    erased: z.boolean().describe("The partner stays paused, and can't be changed any more."),
    links: z.array(linkRecord.schema).describe("All codes of the partner, oldest first."),
    payment: PaymentSummary.extend({
      setBy: z.string().nullable().describe("Address of the account that set the details. Null if it is gone."),
    })
      .nullable()
      .optional()
      .describe("Null: the partner is paid by the email address. Owners and admins only."),
    flags: partnerFlags.optional().describe("Owners and admins only."),
    sharesAccountWith: z
      .array(z.object({ id: id(), name: z.string() }))
      .optional()
      .describe("Partners who are paid to the same account or email address, up to ten. Owners and admins only."),
    balances: z
      .array(BalanceAmounts)
      .describe(
        "One balance for each currency that the partner has had commissions or adjustments in, by currency. " +
          "Test events are not counted.",
      ),
  })
  .openapi("PartnerWithBalances");

export const getPartner = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}",
    operationId: "getPartner",
    tags: ["Management"],
    summary: "Get a partner",
    description: "Includes the partner's balance in each currency. Only owners and admins get the email address.",
    ...programMember("viewer"),
    request: { params: PartnerPath },
    responses: {
      ...returns("The partner", z.object({ data: PartnerWithBalances })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerWithBalances(database, c.get("program").id, partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, links, balances, payment, account } = found.value;
    const sharing = account?.sharing ?? [];
    const isAdmin = seesEmails(c.get("membership"));
    if (partner === undefined) return refuse(c, noPartner);
    const summary = isAdmin ? paymentSummary(payment) : undefined;
    const setters = summary && payment ? [payment.setBy] : [];
    const emails = await readFromDatabase(c, "home", (database) => readEmails(database, setters));
    if (!emails.ok) return refuse(c, emails.refusal);
    const data = {
      ...partnerReply(partner, isAdmin),
      erased: partner.erased,
      payment: summary && { ...summary, setBy: emails.value.get(payment?.setBy ?? "") ?? null },
      links: linkReplies(links, partner),
      ...(isAdmin && { flags: flagsOf(sharing), sharesAccountWith: [...sharing] }),
      balances: balances.map(({ currency, ...sums }) => ({ currency, ...balanceOf(sums) })),
    };
    return c.json({ data }, 200);
  },
});
