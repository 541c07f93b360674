import type { Caller } from "#api/caller.ts";
import { mailsFrom } from "#api/mail.ts";
import { expectedState } from "#api/payout-fields.ts";
import {
  failLine,
  NewSettlement,
  readSettlementLines,
  settleLine,
  settlementCursors,
  settlementRecord,
} from "#api/settlements.ts";
import { maxPartnerNote } from "#domain/note.ts";
import type { Result } from "#domain/result.ts";
import { settlementStates } from "#domain/settlement.ts";
import { body, createRoute, endpoint, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { inCamelCase, inSnakeCase, snakeInput, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import { pathId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { changeBy, changeByKey, changeRefusals, type Keyed, readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

const payoutId = pathId("payout", "Id of a payout that is settled by API.");
const LinePath = z.object({ payoutId, lineId: pathId("line", "Id of a line of the payout.") });

/**
 * Makes a change to a line. The Ledger checks the key when it makes the change. If the service sends mails, the key is
 * also checked beforehand, because the recipients are read before the change.
 */
const changeLine = <Made>(c: Keyed, change: (by: Caller) => Promise<Result<Made>>): Promise<Result<Made>> =>
  mailsFrom(c) === undefined ? change(changeByKey(c, c.get("key")).call) : changeBy(c, change);

const notByApi = ["payout_not_final", "settled_by_person"] as const;

export const listPayoutLines = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/payouts/{payoutId}/lines",
    operationId: "listPayoutLines",
    tags: ["Program"],
    summary: "List the lines of a payout that is settled by API",
    description: "Only for finalized payouts with `settled_by: api`. You can settle lines that are `due`.",
    ...programKeyRequired("keyedList", "read"),
    request: {
      params: z.object({ payoutId }),
      query: z.object({
        state: fields.oneOf("state", settlementStates).optional().describe("Lists only lines in this state."),
        cursor: settlementCursors.parameter("next_cursor"),
      }),
    },
    responses: {
      ...returns(`Lines, ${pageSize} per page`, listOf("SettlementLine", settlementRecord.schema)),
      ...readRefusals("invalid_input", "not_found", ...notByApi),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const { state, cursor: { id: after } = { id: 0 } } = c.req.valid("query");
    const read = await readBy(c, ({ programId }) =>
      readSettlementLines(c, { programId, payoutId }, { state, after, size: pageSize }),
    );
    return read.ok ? reply(c, listReply(read.value.page, read.value.meta)) : refuse(c, read.refusal);
  },
});

const LineReply = z.object({ data: snakeSchema(settlementRecord.schema).openapi("SettlementLine") });

const SettledReply = z.object({
  data: snakeSchema(
    settlementRecord.schema.extend({
      late: z
        .boolean()
        .describe(
          "True if the line had failed before this report, so an adjustment deducts its amount from the partner's balance.",
        ),
    }),
  ).openapi("SettledLine"),
});

export const settlePayoutLine = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/payouts/{payoutId}/lines/{lineId}/settle",
    operationId: "settlePayoutLine",
    tags: ["Program"],
    summary: "Settle a payout line",
    description:
      "Records that your own system has settled the line, and posts its payment. If the line has already been given back or failed, the amount is deducted from the partner's balance (`late: true`).",
    ...withJsonBody(programKeyRequired("sale", "settle")),
    request: { params: LinePath, body: body(snakeInput(NewSettlement).openapi("NewSettlement")) },
    responses: {
      ...returns("The line", SettledReply),
      ...changeRefusals("placeholder_id", "not_found", ...notByApi, "not_due", "restored", "differs"),
    },
  }),
  handler: async (c) => {
    const settlement = inCamelCase(c.req.valid("json"));
    const settled = await changeLine(c, (by) => settleLine(c, by, c.req.valid("param"), settlement));
    return settled.ok ? reply(c, { data: inSnakeCase(settled.value) }) : refuse(c, settled.refusal);
  },
});

const LineFailure = z
  .object({
    reason: fields.nonBlank("reason").describe("Reason, recorded in the audit log and visible only to your team."),
    partner_note: fields
      .optional(fields.nonBlank("partner_note", maxPartnerNote))
      .describe("Note that the partner sees. The partner doesn't see `reason`."),
    expected_state: expectedState("expected_state"),
  })
  .openapi("LineFailure");

export const failPayoutLine = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/payouts/{payoutId}/lines/{lineId}/fail",
    operationId: "failPayoutLine",
    tags: ["Program"],
    summary: "Give back or fail a payout line",
    description:
      "A line that isn't settled is given back. If it is settled, its payment is returned. In both cases, the amount becomes payable again.",
    ...withJsonBody(programKeyRequired("sale", "settle")),
    request: { params: LinePath, body: body(LineFailure) },
    responses: {
      ...returns("The line", LineReply),
      ...changeRefusals("not_found", ...notByApi, "restored", "differs"),
    },
  }),
  handler: async (c) => {
    const failure = inCamelCase(c.req.valid("json"));
    const failed = await changeLine(c, (by) => failLine(c, by, c.req.valid("param"), failure));
    return failed.ok ? reply(c, { data: inSnakeCase(failed.value) }) : refuse(c, failed.refusal);
  },
});
