import { exportHeaders, okOrFile } from "#api/export-file.ts";
import { inOrder } from "#api/period.ts";
import { exampleColumns, Statement, statementCsv, statementJson } from "#api/statement-record.ts";
import { downloadStatement, readStatement, statementFields, statementName } from "#api/statements.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const Query = z
  .object({ ...statementFields(), format: fields.oneOf("format", ["json", "csv"]).default("json") })
  .refine(...inOrder("from", "to"));

export const getStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/statement",
    operationId: "getStatement",
    tags: ["Payouts"],
    summary: "Get a partner's statement",
    description:
      "The same document that the partner gets: with references of commissions, without orders, customers or " +
      "transactions. Without `number`, it has all entries posted in the period, regardless of the day of their " +
      "events, so a statement of past days never changes. With `number`, it has all entries up to one payment. " +
      "`openingCents` plus all entries is `closingCents`. Each day is in the time zone that the program had at that time. Not paged.",
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...okOrFile("The statement", Statement, exampleColumns),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { program, membership } = c.var;
    const { format, ...query } = c.req.valid("query");
    const { partnerId } = c.req.valid("param");
    const { id: programId, timezone, currency } = program;
    const sees = () => membership.role === "owner";
    const read = await readStatement(c, { programId, partnerId, timezone, currency, sees }, query);
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages, units } = read.value;
    const isJson = format === "json";
    const parts = isJson ? statementJson(head, pages) : statementCsv(head, pages, units);
    const file = await downloadStatement(c, actingMember(c), read.value, parts);
    if (!file.ok) return refuse(c, file.refusal);
    const body = textStream(file.value.parts);
    if (isJson) return c.body(body, 200, { "Content-Type": "application/json" });
    return c.body(body, 200, exportHeaders(program, "statement", ...statementName(head.data)));
  },
});
