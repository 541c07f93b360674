import { exportHeaders, okOrFile, periodName } from "#api/export-file.ts";
import { inOrder } from "#api/period.ts";
import {
  downloadStatement,
  entryReply,
  exampleOwner,
  readStatement,
  StatementReply,
  statementColumns,
  statementCsv,
  statementFields,
  statementJson,
} from "#api/statements.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const Query = z.object(statementFields()).refine(...inOrder("from", "to"));

export const getStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/statement",
    operationId: "getStatement",
    tags: ["Payouts"],
    summary: "Get a partner's statement",
    description:
      "All entries that were posted in the period, whatever the day of their events, so a statement of past days never " +
      "changes. `openingCents` plus all entries is `closingCents`. Days are in the program's time zone of that day. Not paged.",
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...okOrFile("The statement", StatementReply, statementColumns(exampleOwner)),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { program } = c.var;
    const { from, to, currency = program.currency, format } = c.req.valid("query");
    const { partnerId } = c.req.valid("param");
    const account = { programId: program.id, partnerId, currency };
    const { timezone } = program;
    const read = await readStatement(c, { account, timezone }, { from, to }, entryReply);
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages } = read.value;
    const { data } = head;
    const isJson = format === "json";
    const parts = isJson ? statementJson(head, pages) : statementCsv(head, pages, statementColumns(data));
    const file = await downloadStatement(c, actingMember(c), read.value, parts);
    if (!file.ok) return refuse(c, file.refusal);
    const body = textStream(file.value.parts);
    if (isJson) return c.body(body, 200, { "Content-Type": "application/json" });
    const headers = exportHeaders(
      program,
      "statement",
      data.partnerCode,
      periodName(data.from, data.to),
      data.currency,
    );
    return c.body(body, 200, headers);
  },
});
