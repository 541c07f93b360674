import { lookUpSales, maxLookedUp, readSales, saleCursors, saleRecord, salesPerPage } from "#api/sales.ts";
import { body, createRoute, endpoint, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { changeRefusals, readBy, readRefusals, withCheckedKey } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply } from "./list.ts";

const testModeRule = "test_mode must be true or false";

const Query = z.object({
  from: fields.instant("from").optional().describe("Lists only sales from this time on."),
  to: fields.instant("to").optional().describe("Lists only sales before this time."),
  test_mode: z
    .enum(["true", "false"], testModeRule)
    .optional()
    .openapi({ description: "`true` lists test sales. Defaults to `false`." }),
  cursor: saleCursors.parameter("next_cursor"),
});

const corrected = "with the amounts of its newest version";

export const listSales = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/sales",
    operationId: "listSales",
    tags: ["Program"],
    summary: "List sales",
    description:
      "Lists recorded sales, attributed or not, so that you can compare them with your own payments. A corrected sale is listed under " +
      `the id with which it was first reported, ${corrected}. A test key needs \`test_mode=true\`.`,
    ...programKeyRequired("keyedList", "read"),
    request: { query: Query },
    responses: {
      ...returns(`Sales, newest first, ${salesPerPage} per page`, listOf("SaleFigures", saleRecord.schema)),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const { test_mode, ...asked } = c.req.valid("query");
    const isTest = test_mode === "true";
    const read = await readBy(c, ({ programId }) => readSales(c, { programId, isTest }, asked), isTest);
    if (!read.ok) return refuse(c, read.refusal);
    return reply(c, listReply(read.value.page.map(saleRecord.reply), read.value.meta));
  },
});

const idsRule = `transaction_ids must be a list of 1 to ${maxLookedUp} ids`;

const Lookup = z
  .object({
    transaction_ids: z
      .array(fields.callerId("transaction_ids"), idsRule)
      .min(1, idsRule)
      .max(maxLookedUp, idsRule)
      .describe("Transaction ids of sales, as you reported them."),
    test_mode: fields
      .omittable(z.boolean("test_mode must be a boolean"))
      .describe("True looks up test sales. Required with a test key."),
  })
  .openapi("SaleLookup");

const Sale = snakeSchema(saleRecord.schema).openapi("SaleFigures");

const LookedUp = z
  .object({
    found: z.array(Sale).describe("Recorded sales, each with the id that you sent."),
    absent: z.array(z.string()).describe("Ids for which no sale is recorded."),
    ...warnings,
  })
  .openapi("SalesFound");

/** The size is enough for 500 ids with 255 characters each, at three bytes a character. */
const maxKibibytes = 512;

export const lookupSales = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/sales/lookup",
    operationId: "lookupSales",
    tags: ["Program"],
    summary: "Look up sales",
    description: `Returns which of these sales are recorded. A corrected sale is found by any of its ids, ${corrected}.`,
    ...withJsonBody(withCheckedKey(programKeyRequired("keyedList", "read"), true), maxKibibytes),
    request: { body: body(Lookup) },
    responses: {
      ...returns("The sales found, and the ids without a sale", LookedUp),
      ...changeRefusals(),
    },
  }),
  handler: async (c) => {
    const { transaction_ids: ids, test_mode: isTest = false } = c.req.valid("json");
    const read = await readBy(c, ({ programId }) => lookUpSales(c, { programId, isTest }, ids), isTest);
    if (!read.ok) return refuse(c, read.refusal);
    const { found, absent } = read.value;
    return reply(c, { found: found.map((sale) => inSnakeCase(saleRecord.reply(sale))), absent: [...absent] });
  },
});
