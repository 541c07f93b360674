import { z } from "@hono/zod-openapi";
import type { Fault, Refusal, RefusalCode } from "../domain/refusal.ts";
import { PlatformFailure, platformEnvelope, TypedFailure, typedEnvelope } from "./envelope.ts";
import { type FailureStatus, type FailureStyle, failureOf } from "./failure.ts";

type Example<T> = Readonly<Record<string, { readonly value: T }>>;

/** A body that has to be there, and the types it may come as. */
export const body = <Schema extends z.ZodType>(schema: Schema, examples: Example<z.input<Schema>>) => ({
  required: true,
  content: { "application/json": { schema, examples } },
});

/** The same from a browser, to which `text/plain` spares a preflight. */
export const plainBody = <Schema extends z.ZodType>(schema: Schema, examples: Example<z.input<Schema>>) => ({
  required: true,
  content: { "application/json": { schema, examples }, "text/plain": { schema, examples } },
});

export const ok = <Schema extends z.ZodType>(description: string, schema: Schema, examples: Example<z.output<Schema>>) => ({
  200: { description, content: { "application/json": { schema, examples } } },
});

/** A body's fault, as an example. */
export const faulty = (field: string, message: string): Refusal => ({
  code: "invalid_input",
  faults: [{ path: [field], message } satisfies Fault],
});

const commission = { amountCents: 980, currency: "USD", status: "pending", holdUntil: Date.UTC(2026, 2, 16, 12), unconfirmed: false, reason: undefined } as const;
const sale = { saleId: 71, commissionId: 71, attributed: true, partnerCode: "anna", commission } as const;

const examples: { readonly [Code in RefusalCode]: Extract<Refusal, { code: Code }> } = {
  malformed_json: { code: "malformed_json" },
  unsupported_media_type: { code: "unsupported_media_type" },
  payload_too_large: { code: "payload_too_large" },
  invalid_input: { code: "invalid_input", faults: [{ path: [], message: "Request body must be a JSON object" }] },
  route_not_found: { code: "route_not_found" },
  method_not_allowed: { code: "method_not_allowed", allow: ["POST"] },
  rate_limited: { code: "rate_limited", retryAfterSeconds: 60 },
  missing_key: { code: "missing_key" },
  invalid_key: { code: "invalid_key" },
  key_retired: { code: "key_retired", retiredAt: Date.UTC(2026, 2, 1) },
  link_not_found: { code: "link_not_found" },
  program_not_found: { code: "program_not_found" },
  occurred_at_needs_key: { code: "occurred_at_needs_key" },
  customer_not_found: { code: "customer_not_found" },
  customer_of_another_program: { code: "customer_of_another_program" },
  duplicate_transaction: { code: "duplicate_transaction", sale, differences: [] },
  sale_not_found: { code: "sale_not_found" },
  refund_exceeds_sale: { code: "refund_exceeds_sale", refundableCents: 1900 },
  refund_conflict: { code: "refund_conflict", differences: ["refund_amount_cents"] },
  unavailable: { code: "unavailable", retryAfterSeconds: 5 },
  internal: { code: "internal" },
};

/** What may come of any call that has a body. */
export const ofBody = ["malformed_json", "payload_too_large", "unsupported_media_type"] as const;
/** What may come of any call that has a key. */
export const ofKey = ["invalid_key", "key_retired"] as const;
/** What may come of any call. */
export const ofAny = ["rate_limited", "internal", "unavailable"] as const;

const Failure = z.union([PlatformFailure, TypedFailure]);
type Failure = z.output<typeof Failure>;
interface FailureResponse {
  description: string;
  content: { "application/json": { schema: z.ZodType<Failure>; examples: Example<Failure> } };
}
type Responses = Record<FailureStatus, FailureResponse>;

/**
 * The answers that refuse, by status, each said as `refuse` says it. The type has every status: to a client that
 * tells success from failure they are one.
 */
export function refusals(style: FailureStyle | undefined, ...refused: readonly (RefusalCode | Refusal)[]): Responses {
  const all = refused.map((item): Refusal => (typeof item === "string" ? examples[item] : item));
  const statuses = new Set(all.map(({ code }) => failureOf(code).status));
  const described = [...statuses].map((status) => {
    const list = all.filter(({ code }) => failureOf(code).status === status);
    return [status, response(list, style)] as const;
  });
  return Object.fromEntries(described) as Responses;
}

function response(list: readonly Refusal[], style: FailureStyle | undefined): FailureResponse {
  const said = list.map((refusal) => ({ refusal, isTyped: style?.envelope === "typed" || refusal.code === "key_retired" }));
  const isEither = new Set(said.map(({ isTyped }) => isTyped)).size > 1;
  const schema = isEither ? Failure : said[0]?.isTyped ? TypedFailure : PlatformFailure;
  const examples = said.map(({ refusal, isTyped }, i) => {
    const value = isTyped ? typedEnvelope(refusal, style, undefined) : platformEnvelope(refusal, style);
    return [list.findIndex(({ code }) => code === refusal.code) === i ? refusal.code : `${refusal.code}_${i}`, { value }];
  });
  const description = [...new Set(list.map(({ code }) => code.replaceAll("_", " ")))].join(", ");
  return { description, content: { "application/json": { schema, examples: Object.fromEntries(examples) } } };
}
