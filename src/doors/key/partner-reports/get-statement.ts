import { refsOfProgram } from "#http/commission-ref.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import { inOrder } from "../../member/reports/query.ts";
import { downloadStatement, readStatement } from "../../member/statements/read-statement.ts";
import { statementFields } from "../../member/statements/statement-query.ts";
import { statementJson } from "../../member/statements/write-statement.ts";
import { OwnStatement, ownEntries } from "../../partner/statement/own-statement.ts";
import { programKeyRequired } from "../guards.ts";
import { keyedPartner, ReportPath, reportRefusals } from "./keyed-partner.ts";

const { format: _, ...period } = statementFields();
const Query = z.object(period).refine(...inOrder("from", "to"));

const { data, meta } = OwnStatement.shape;
const Statement = z.object({ data: snakeSchema(data).openapi("PartnerStatement"), meta: snakeSchema(meta) });

export const getPartnerStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/statement",
    operationId: "getPartnerStatement",
    tags: ["Program"],
    summary: "Get a partner's statement",
    description:
      "As the partner sees it, for a page of your own. All entries that were posted in the period, whatever the day of " +
      "their events, so amounts of past days never change. `opening_cents` plus all entries is `closing_cents`. Not paged.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: Query },
    responses: { ...returns("The statement", Statement), ...refusals([...reportRefusals, "download_running"]) },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.get("key"), c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { programId, partnerId, timezone, ...own } = partner.value;
    const { from, to, currency = own.currency } = c.req.valid("query");
    const account = { programId, partnerId, currency };
    const encode = ownEntries(refsOfProgram(c, programId), c.get("call").at);
    const read = await readStatement(c, { account, timezone }, { from, to }, encode);
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages } = read.value;
    const by = { programId, actorId: c.get("key").hash };
    const file = await downloadStatement(c, by, read.value, statementJson(head, pages, inSnakeCase));
    if (!file.ok) return refuse(c, file.refusal);
    return jsonStream<z.output<typeof Statement>>(c, file.value.parts, { "Content-Type": "application/json" });
  },
});
