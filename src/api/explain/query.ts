import { storyPageSize, storyTypes } from "#domain/explain/event-order.ts";
import type { ProgramId } from "#domain/ids.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/fields.ts";
import { integerText } from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { ExplainKey, ExplainRequest } from "#store/reports/explain.ts";

/** A cursor with the last event of a page. Ids of clicks are strings, all others integers. */
export const storyCursors = cursorOf("explain", {
  type: z.enum(storyTypes),
  id: z.union([z.int().positive(), z.string().regex(/^[\w-]{1,96}$/)]),
  occurredAt: z.int(),
});

const callerId = (field: string) => fields.callerId(field).optional();
const id = (field: string) => fields.programId(field).optional();
const testMode = (field: string) =>
  z
    .enum(["true", "false"], `${field} must be true or false`)
    .optional()
    .openapi({ description: "`true` explains test events. Defaults to `false`." });

const keys = ["click_id", "lead_id", "sale_id", "commission_id", "transaction_id", "customer_key"] as const;
const camelKeys = ["clickId", "leadId", "saleId", "commissionId", "transactionId", "customerKey"] as const;

/** A rule across fields: exactly one of them identifies the subject. */
const exactlyOne = (names: readonly string[]) =>
  fields.rule(
    names,
    `Send exactly one of ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`,
    (query: Readonly<Record<string, unknown>>) => names.filter((name) => query[name] !== undefined).length === 1,
  );

const withTransaction = (refund: string, transaction: string) =>
  fields.rule(
    [refund],
    `${refund} needs ${transaction}`,
    (query: Readonly<Record<string, unknown>>) => query[refund] === undefined || query[transaction] !== undefined,
  );

export const SnakeQuery = z
  .object({
    click_id: callerId("click_id"),
    lead_id: id("lead_id"),
    sale_id: id("sale_id"),
    commission_id: id("commission_id"),
    transaction_id: callerId("transaction_id"),
    refund_id: callerId("refund_id").describe("With `transaction_id`: this refund of the sale."),
    customer_key: callerId("customer_key"),
    test_mode: testMode("test_mode"),
    limit: integerText("limit", 1, storyPageSize).optional().describe(`Events per page. Defaults to ${storyPageSize}.`),
    cursor: storyCursors.parameter("next_cursor"),
  })
  .refine(...exactlyOne(keys))
  .refine(...withTransaction("refund_id", "transaction_id"));
type Query = Omit<z.output<typeof SnakeQuery>, "limit"> & { readonly limit?: number | undefined };

export const CamelQuery = z
  .object({
    clickId: callerId("clickId"),
    leadId: id("leadId"),
    saleId: id("saleId"),
    commissionId: id("commissionId"),
    transactionId: callerId("transactionId"),
    refundId: callerId("refundId").describe("With `transactionId`: this refund of the sale."),
    customerKey: callerId("customerKey"),
    testMode: testMode("testMode"),
    cursor: storyCursors.parameter(),
  })
  .refine(...exactlyOne(camelKeys))
  .refine(...withTransaction("refundId", "transactionId"));

const kinds = {
  click_id: "click",
  lead_id: "lead",
  sale_id: "sale",
  commission_id: "commission",
  transaction_id: "transaction",
  customer_key: "customer",
} as const satisfies Record<(typeof keys)[number], ExplainKey>;

export function explainRequest(query: Query, programId: ProgramId): ExplainRequest {
  const name = keys.find((each) => query[each] !== undefined) ?? "transaction_id";
  const { refund_id: refundId, test_mode, cursor: after, limit } = query;
  return { programId, isTest: test_mode === "true", by: kinds[name], key: query[name] ?? "", refundId, after, limit };
}
