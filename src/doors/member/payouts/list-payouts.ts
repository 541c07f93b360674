import { dayIn } from "#domain/calendar.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { listPayouts as list } from "#store/views/payouts.ts";
import { actingMember } from "../actor.ts";
import { downloadPages } from "../download-pages.ts";
import { exportHeaders, format, okOrFile } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "#api/read-page.ts";
import { payoutColumns, payoutRecord } from "./payout-record.ts";

const pageSizes = { json: 50, csv: 500 };

const cursors = idCursor("payouts");

const Query = z.object({
  cursor: cursors.parameter(),
  format: format("payouts"),
});

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts",
    operationId: "listPayouts",
    tags: ["Payouts"],
    summary: "List a program's payouts",
    description:
      "Includes drafts and canceled payouts, with their totals. A payout's lines are returned with the payout itself.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Payouts, newest first, ${pageSizes.json} per page`,
        z.object({ data: z.array(payoutRecord.schema), meta: PageMeta }),
        payoutColumns,
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor = newest, format = "json" } = c.req.valid("query");
    const program = c.get("program");
    const readFrom = ({ id: before }: typeof newest) =>
      readPage(c, "program", { ...cursors, size: pageSizes[format] }, (database, limit) =>
        list(database, program.id, before, limit),
      );
    if (format === "csv") {
      const file = await downloadPages(c, actingMember(c), payoutColumns, (after: typeof newest = newest) =>
        readFrom(after),
      );
      if (!file.ok) return refuse(c, file.refusal);
      const today = dayIn(program.timezone, c.get("call").at);
      return c.body(textStream(file.value.parts), 200, exportHeaders(program, "payouts", today));
    }
    const read = await readFrom(cursor);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page.map(payoutRecord.reply), meta }, 200);
  },
});
