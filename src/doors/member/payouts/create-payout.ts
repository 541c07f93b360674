import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { ChangedPayout } from "./change-payout.ts";
import { replyOfPayout } from "./load-payout.ts";

const maxPartners = 1_000;

const NewPayout = z
  .object({
    currency: fields.currency("currency"),
    until: fields
      .optional(fields.instant("until"))
      .describe(
        "Pays commissions and bonuses that became payable until then. Defaults to now; a later time counts as now.",
      ),
    minimumCents: fields
      .optional(fields.amountCents("minimumCents"))
      .describe("Defaults to the program's `minimumPayoutCents` in its own currency, else 1."),
    partnerIds: fields
      .optional(
        z
          .array(fields.programId("partnerIds"), "partnerIds must be an array of ids")
          .min(1, "partnerIds must not be empty")
          .max(maxPartners, `partnerIds must have at most ${maxPartners} ids`),
      )
      .describe("Pays only these partners, even if they are paused. Defaults to all active partners."),
    reference: fields
      .optional(fields.nonBlank("reference"))
      .describe("Unique in the program. The same reference again returns the first payout."),
  })
  .openapi("NewPayout");

export const createPayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts",
    operationId: "createPayout",
    tags: ["Payouts"],
    summary: "Create a draft payout",
    description: "Proposes a line for each partner with commissions to pay. Nothing is reserved until you finalize it.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPayout) },
    responses: {
      ...created("The draft payout", ChangedPayout),
      ...returns("The payout with this reference", ChangedPayout),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "draft_exists",
        "payout_conflict",
        "nothing_payable",
        "all_left_out",
        "reference_canceled",
      ]),
    },
  }),
  handler: async (c) => {
    const { until, ...terms } = c.req.valid("json");
    const { at } = c.get("call");
    const asked = fields.instantOf(until, at);
    const create = {
      ...actingMember(c),
      kind: "create-payout",
      ...terms,
      until: asked !== null && asked < at ? asked : null,
    } as const;
    const made = await runOperation(c, create);
    if (!made.ok) return refuse(c, made.refusal);
    const { payout, isNew } = made.answer;
    const found = await replyOfPayout(c, create.programId, payout.id, true);
    return found.ok ? c.json({ data: found.value }, isNew ? 201 : 200) : refuse(c, found.refusal);
  },
});
