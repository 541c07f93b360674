import { commissionCursors, commissionRecord, filterOf, reviewed } from "#api/commissions.ts";
import { day, inOrder } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { voidReasons } from "#domain/commission.ts";
import { shownStatuses } from "#domain/commission-status.ts";
import type { ProgramId } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import * as fields from "#http/schema/form-fields.ts";
import { pathId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import { payoutById } from "#store/payouts.ts";
import { type CommissionFilter, positionOf } from "#store/views/commission-filter.ts";
import { listCommissions as list } from "#store/views/commission-list.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

/** Leaves out the explanation, which `explain` returns, and the reference on the partner's pages. */
const listedCommission = commissionRecord.omit("explanation", "ref");

const CommissionList = listOf("ListedCommission", listedCommission.schema);

const order = { sort: "created", order: "desc" } as const;

const cursor = commissionCursors.parameter("next_cursor");

const CommissionQuery = z
  .object({
    status: fields.oneOf("status", shownStatuses).optional().describe("Defaults to every status except `void`."),
    partner_id: fields.programId("partner_id").optional(),
    currency: currencyOrUnit().optional(),
    date_from: day("date_from").optional().describe("Only for sales from this day on, in the program's time zone."),
    date_to: day("date_to").optional().describe("Only for sales up to this day, inclusive."),
    reason: fields
      .oneOf("reason", voidReasons)
      .optional()
      .describe("Lists only commissions that pay nothing for this reason. Use it with `status=void`."),
    cursor,
  })
  .refine(...inOrder("date_from", "date_to"));

const PayoutCommissionQuery = z.object({ cursor });

type Cursor = z.output<typeof cursor>;

/**
 * Lists commissions of the live book, newest first. The order in a cursor is ignored, because all lists in this file
 * have the same order.
 */
async function readCommissions(
  c: Ctx,
  programId: ProgramId,
  filter: CommissionFilter,
  after: Cursor,
): Promise<Result<ReturnType<typeof replyOf>>> {
  const known = await unitsOf(c, programId, filter.currency);
  if (!known.ok) return known;
  const asked = { ...order, after, limit: pageSize + 1 };
  const book = { programId, isTest: false };
  const read = await readFromDatabase(c, "program", (database) => list(database, book, filter, asked));
  return read.ok ? ok(replyOf(read.value)) : read;
}

function replyOf(rows: Awaited<ReturnType<typeof list>>) {
  const { page, meta } = commissionCursors.pageOf(rows.map(reviewed), pageSize, (last) => ({
    ...order,
    ...positionOf(order.sort, last),
  }));
  return listReply(page.map(listedCommission.reply), meta);
}

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/commissions",
    operationId: "listCommissions",
    tags: ["Program"],
    summary: "List commissions",
    description: "Commissions on live sales. Filters can be combined.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: CommissionQuery },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, CommissionList),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const { cursor, partner_id: partnerId, date_from: dateFrom, date_to: dateTo, ...others } = c.req.valid("query");
    const filter = filterOf({ ...others, partnerId, dateFrom, dateTo });
    const read = await readBy(c, ({ programId }) => readCommissions(c, programId, filter, cursor));
    return read.ok ? reply(c, read.value) : refuse(c, read.refusal);
  },
});

const PayoutPath = z.object({ payoutId: pathId("payout", "Id of a payout of the program.") });

export const listPayoutCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/payouts/{payoutId}/commissions",
    operationId: "listPayoutCommissions",
    tags: ["Program"],
    summary: "List a payout's commissions",
    description: "Commissions that the payout has reserved or paid.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: PayoutPath, query: PayoutCommissionQuery },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, CommissionList),
      ...readRefusals("invalid_input", "not_found"),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const read = await readBy(c, async ({ programId }) => {
      const payout = await readFromDatabase(c, "program", (database) =>
        readBatch(database, { found: payoutById({ programId, id: payoutId }) }),
      );
      if (!payout.ok) return payout;
      if (payout.value.found === undefined) return refused(notFound("payout"));
      return readCommissions(c, programId, filterOf({ payoutId }), c.req.valid("query").cursor);
    });
    return read.ok ? reply(c, read.value) : refuse(c, read.refusal);
  },
});
