import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import { writeOffsOfReceipt } from "#store/erased-partners.ts";
import { erasureById } from "#store/erasures.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ReceiptPath } from "../params.ts";
import { receiptRecord } from "./erasure-record.ts";

export const getReceipt = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/privacy/receipts/{receiptId}",
    operationId: "getErasureReceipt",
    tags: ["Privacy"],
    summary: "Get the receipt of an erasure",
    description: "When it was, how many rows, and the sums before and after. Nothing of the person.",
    ...programMember("owner"),
    request: { params: ReceiptPath },
    responses: {
      ...returns("The receipt", z.object({ data: receiptRecord.schema })),
      ...refusals([...memberRefusals]),
    },
  }),
  handler: async (c) => {
    const id = c.req.valid("param").receiptId;
    const programId = c.get("program").id;
    const found = await readFromDatabase(c, "program", (database) =>
      readBatch(database, {
        receipt: erasureById({ programId, id }),
        writeOffs: writeOffsOfReceipt({ programId, receiptId: id }),
      }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { receipt, writeOffs } = found.value;
    if (receipt === undefined) return refuse(c, { code: "not_found", what: "receipt" });
    const { rows, before, after, ...row } = receipt;
    const parsed = {
      rows: JSON.parse(rows),
      before: JSON.parse(before),
      after: after === null ? null : JSON.parse(after),
    };
    return c.json({ data: receiptRecord.reply({ ...row, ...parsed, writeOffs }) }, 200);
  },
});
