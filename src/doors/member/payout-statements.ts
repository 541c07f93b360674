import { sendMails } from "#api/mail.ts";
import { MailOutcome, statementOutcomes } from "#api/mail-outcome.ts";
import { mailingLines } from "#api/mails-to-strangers.ts";
import { ok, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { memberWriteRefusals, programMember } from "./guards.ts";
import { PayoutPath } from "./params.ts";

export const mailPayoutStatements = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/statements/mail",
    operationId: "mailPayoutStatements",
    tags: ["Payouts"],
    summary: "Mail a payout's statements",
    description:
      "Mails each partner of a paid payout the sums of their statement, with a link to it. If a partner has no address, the " +
      "first account with access to them that has verified its own is mailed. Each statement is mailed once: a repeat " +
      "mails only those that weren't sent because an address was missing or a daily limit was reached.",
    ...programMember("admin"),
    request: { params: PayoutPath },
    responses: {
      202: {
        description: "Outcome for each statement",
        content: { "application/json": { schema: z.object({ data: z.object({ outcomes: z.array(MailOutcome) }) }) } },
      },
      ...refusals([...memberWriteRefusals, "payout_not_paid", "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const member = actingMember(c);
    const lines = { payoutId, partnerId: null, template: "statement" } as const;
    const sender = { workspaceId: c.get("program").workspaceId, userId: c.get("userId") };
    const mailed = await mailingLines(c, sender, lines, async (mails) => {
      const outcome = await runOperation(c, { ...member, kind: "mail-statements", payoutId, ...mails });
      return outcome.ok ? ok(mails.recipients) : refused(outcome.refusal);
    });
    if (!mailed.ok) return refuse(c, mailed.refusal);
    sendMails(c, "program");
    const reached = new Set(mailed.value.map(({ partnerId }) => partnerId));
    const outcomes = await statementOutcomes(c, c.get("program").id, payoutId, reached);
    return outcomes.ok ? c.json({ data: { outcomes: outcomes.value } }, 202) : refuse(c, outcomes.refusal);
  },
});
