import { exportHeaders, okOrFile, periodName } from "#api/export-file.ts";
import { OwnStatement, ownEntries, ownStatementColumns } from "#api/own-statement.ts";
import { inOrder } from "#api/period.ts";
import {
  downloadStatement,
  exampleOwner,
  readStatement,
  statementCsv,
  statementFields,
  statementJson,
} from "#api/statements.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { downloading, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Query = z.object({ ...statementFields(), ...viewField() }).refine(...inOrder("from", "to"));

export const getStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/statement",
    operationId: "getOwnStatement",
    tags: ["Partner"],
    summary: "Get your statement",
    description:
      "All entries that were posted in the period, whatever the day of their events, so amounts of past days never change. " +
      "`openingCents` plus all entries is `closingCents`. Days are in the program's time zone of that day. Not paged.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...okOrFile("The statement", OwnStatement, ownStatementColumns(exampleOwner)),
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const partner = c.get("partner");
    const { programId, partnerId, timezone } = partner;
    const { from, to, currency = partner.currency, format } = c.req.valid("query");
    const account = { programId, partnerId, currency };
    const encode = ownEntries(refsOfProgram(c, programId), c.get("call").at);
    const read = await readStatement(c, { account, timezone }, { from, to }, encode);
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages } = read.value;
    const { data } = head;
    const isJson = format === "json";
    const parts = isJson ? statementJson(head, pages) : statementCsv(head, pages, ownStatementColumns(data));
    const file = await downloadStatement(c, downloading(c), read.value, parts);
    if (!file.ok) return refuse(c, file.refusal);
    const body = textStream(file.value.parts);
    if (isJson) return c.body(body, 200, { "Content-Type": "application/json" });
    const name = [data.partnerCode, periodName(data.from, data.to), currency];
    const headers = exportHeaders(programFile(partner), "statement", ...name);
    return c.body(body, 200, headers);
  },
});
