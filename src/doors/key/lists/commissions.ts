import { readFromDatabase } from "#api/read-database.ts";
import { voidReasons } from "#domain/commission.ts";
import { shownStatuses } from "#domain/commission-status.ts";
import type { ProgramId } from "#domain/ids.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { type CommissionFilter, listCommissions as list, positionOf } from "#store/views/commission-list.ts";
import { commissionCursors, commissionRecord, reviewed } from "../../member/commissions/commission-record.ts";
import { day, inOrder } from "../../member/reports/query.ts";
import { listOf, listReply, pageSize } from "../list.ts";

/** What decided a commission is told by explain, and its name for its partner on their pages. */
const listedCommission = commissionRecord.omit("explanation", "ref");

export const CommissionList = listOf("ListedCommission", listedCommission.schema);

const order = { sort: "created", order: "desc" } as const;

const cursor = commissionCursors.parameter("next_cursor");

export const CommissionQuery = z
  .object({
    status: fields.oneOf("status", shownStatuses).optional().describe("Defaults to every status except `void`."),
    partner_id: fields.programId("partner_id").optional(),
    currency: fields.currency("currency").optional(),
    date_from: day("date_from").optional().describe("First day of the sales, in the program's time zone."),
    date_to: day("date_to").optional().describe("Last day of the sales, inclusive."),
    reason: fields.oneOf("reason", voidReasons).optional().describe("Use it with `status=void`."),
    cursor,
  })
  .refine(...inOrder("date_from", "date_to"));

export const PayoutCommissionQuery = z.object({ cursor });

type Cursor = z.output<typeof cursor>;

/** Of the live book, newest first. A cursor of another order begins anew: no list here gives one. */
export async function readCommissions(
  c: Ctx,
  programId: ProgramId,
  filter: CommissionFilter,
  after: Cursor,
): Promise<Result<ReturnType<typeof replyOf>>> {
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
