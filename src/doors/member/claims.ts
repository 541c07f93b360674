import { Claim, claimReplies } from "#api/claims.ts";
import { Effects, effectsReply } from "#api/imports/customer-columns.ts";
import { partnerNote } from "#api/notes.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import { claimOutcomes, claimStatuses } from "#domain/claim.ts";
import type { ClaimId } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, invalidField, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findClaim, listClaims as list } from "#store/views/claims.ts";
import { actingMember } from "./actor.ts";
import { isRecentlyConfirmed } from "./authorize.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ClaimPath, ProgramPath } from "./params.ts";

const pageSize = 50;
const cursors = idCursor("claims");

const Query = z.object({
  status: fields.oneOf("status", claimStatuses).optional(),
  partnerId: fields.integerText("partnerId", 1, Number.MAX_SAFE_INTEGER).optional(),
  cursor: cursors.parameter(),
});

export const listClaims = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/claims",
    operationId: "listClaims",
    tags: ["Management"],
    summary: "List missing sales that partners reported",
    description: `Claims, newest first, ${pageSize} per page.`,
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Claims", z.object({ data: z.array(Claim), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { status = null, partnerId, cursor: { id: before } = newest } = c.req.valid("query");
    const program = c.get("program");
    const found = await readPage(c, "program", { ...cursors, size: pageSize }, (database, limit) =>
      list(database, { programId: program.id, partnerId, status, before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    const data = await claimReplies(c, program, page);
    return data.ok ? c.json({ data: data.value, meta }, 200) : refuse(c, data.refusal);
  },
});

const Resolution = z
  .object({
    outcome: fields.oneOf("outcome", claimOutcomes),
    saleId: fields
      .optional(fields.programId("saleId"))
      .describe(
        "Sale that the partner means. Required with `theirs`, and not allowed with `declined`. If a correction replaced it, the newest version is credited, and named in the reply.",
      ),
    payPast: fields
      .optional(fields.flag("payPast"))
      .describe(
        "With `theirs`: assigns the customer from the time of the sale on, so that the sale earns commission. Owners only. By default, the customer is assigned from now on, and only later sales earn commission.",
      ),
    partnerNote: partnerNote().describe("Note for the partner, shown with the claim."),
  })
  .openapi("ClaimResolution");

type Sent = z.output<typeof Resolution>;

type Decided =
  | { readonly outcome: "theirs"; readonly saleId: number; readonly payPast: boolean }
  | { readonly outcome: "declined" };

function decisionIn({ outcome, saleId, payPast }: Sent): Result<Decided> {
  if (outcome === "theirs")
    return saleId === null
      ? refused(invalidField("saleId", "saleId is required with theirs"))
      : ok({ outcome, saleId, payPast: payPast === true });
  if (saleId !== null) return refused(invalidField("saleId", "saleId isn't allowed with declined"));
  if (payPast !== null) return refused(invalidField("payPast", "payPast isn't allowed with declined"));
  return ok({ outcome });
}

export const resolveClaim = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/claims/{claimId}/resolve",
    operationId: "resolveClaim",
    tags: ["Management"],
    summary: "Decide a claim",
    description:
      "`theirs` assigns the sale's customer to the partner, as `assignCustomer` does, in the same step. If the sale is " +
      "the partner's already, and its customer can't move to another partner, nothing is assigned. Repeating the same decision returns the same reply.",
    ...withJsonBody(programMember("admin")),
    request: { params: ClaimPath, body: body(Resolution) },
    responses: {
      ...returns(
        "Decided",
        z.object({
          data: z
            .object({
              claim: Claim,
              effects: Effects,
              hasMore: z.boolean().describe("True if there are more sales than `effects` counts."),
            })
            .openapi("ResolvedClaim"),
        }),
      ),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "owner_only",
        "reauthenticate",
        "decided",
        "final",
        "moving",
        "partner_erased",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const sent = c.req.valid("json");
    const decision = decisionIn(sent);
    if (!decision.ok) return refuse(c, decision.refusal);
    if (sent.payPast === true && c.get("membership").role !== "owner") return refuse(c, { code: "owner_only" });
    if (sent.payPast === true && !isRecentlyConfirmed(c, c.get("confirmedAt")))
      return refuse(c, { code: "reauthenticate" });
    const { claimId } = c.req.valid("param");
    const program = c.get("program");
    const read = (id: ClaimId) => readFromDatabase(c, "program", (database) => findClaim(database, program.id, id));
    const claim = await read(claimId);
    if (!claim.ok) return refuse(c, claim.refusal);
    if (claim.value === undefined) return refuse(c, notFound("claim"));
    const { partnerId } = claim.value;
    const { partnerNote: note } = sent;
    const common = { ...actingMember(c), kind: "resolve-claim", claimId, partnerId, partnerNote: note } as const;
    const resolved = await runOperation(c, { ...common, ...decision.value });
    if (!resolved.ok) return refuse(c, resolved.refusal);
    const after = await read(claimId);
    if (!after.ok) return refuse(c, after.refusal);
    const replies = await claimReplies(c, program, after.value === undefined ? [] : [after.value]);
    if (!replies.ok) return refuse(c, replies.refusal);
    const [reply] = replies.value;
    if (reply === undefined) return refuse(c, { code: "internal" });
    const { effects, hasMore } = resolved.answer;
    return c.json({ data: { claim: reply, effects: effectsReply(effects), hasMore } }, 200);
  },
});
