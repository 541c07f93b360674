import { detailsMail } from "#api/details-mail.ts";
import { sendMails } from "#api/mail.ts";
import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { AccessPath } from "../params.ts";

export const endAccess = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/partners/{partnerId}/access/{accountId}",
    operationId: "endPartnerAccess",
    tags: ["Partners' access"],
    summary: "End an account's access to a partner's side",
    description: "Ends at once: the account's next call is refused.",
    ...programMember("admin"),
    request: { params: AccessPath },
    responses: {
      ...returns("The access has ended", z.object({ data: z.object({ ended: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const { partnerId: id, accountId } = c.req.valid("param");
    const partnerId = readId(id);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const actor = actingMember(c);
    const mail = await detailsMail(c, { ...actor, partnerId }, "payment");
    // Access ends without a mail rather than later.
    const isLeftOut = !mail.ok && mail.refusal.code === "rate_limited";
    if (!mail.ok && !isLeftOut) return refuse(c, mail.refusal);
    const row = mail.ok ? mail.value : undefined;
    const end = { ...actor, kind: "end-partner-access", partnerId, accountId, mail: row } as const;
    const ended = await runOperation(c, end);
    if (!ended.ok) return refuse(c, ended.refusal);
    if (row !== undefined) sendMails(c, "program");
    return c.json({ data: { ended: true as const } }, 200);
  },
});
