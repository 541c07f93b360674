import { dateUtc } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import type { FieldError, Refusal, RefusalCode } from "#domain/refusal.ts";
import { saleReply } from "../commission-reply.ts";

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 429 | 500 | 503;

export interface RefusalStyle {
  readonly envelope: "platform" | "typed";
  /** Replaces the common messages of these codes. */
  readonly messages: Partial<Record<RefusalCode, string>>;
}

type RefusalOf<Code extends RefusalCode> = Extract<Refusal, { code: Code }>;

interface Entry<R extends Refusal> {
  readonly status: RefusalStatus;
  readonly message: string | ((refusal: R) => string);
  /** Defaults to no details. */
  readonly details?: (refusal: R) => Record<string, unknown>;
  /** The refusal's name in the OpenAPI document. Defaults to the code, with spaces instead of underscores. */
  readonly title?: string;
  /** Defaults to the code. */
  readonly typedCode?: string;
}

export type Entries<Code extends RefusalCode> = { readonly [C in Code]: Entry<RefusalOf<C>> };

export const ownFields = (refusal: Refusal): Record<string, unknown> => ({ ...refusal });

export const differencesOf = ({ differences }: { readonly differences: readonly string[] }) => ({ differences });

const errorsOf = (errors: readonly FieldError[]) => ({
  errors: errors.map(({ path, message }) => ({ path, message, name: "ValidationError" })),
});

const noProgramId = "program_id is required";
const unavailable = "Service unavailable. Send the identical request again shortly.";

/** Refusals of tracking calls. All others are in `further-table.ts`, so that tracking calls don't compile them. */
const ofTracking = {
  malformed_json: { status: 400, message: "Malformed JSON in request body", title: "malformed JSON" },
  unsupported_media_type: { status: 415, message: "Unsupported media type. Send application/json in UTF-8." },
  unsupported_content_encoding: {
    status: 415,
    message: "Unsupported Content-Encoding. Send the body uncompressed.",
  },
  payload_too_large: {
    status: 413,
    message: ({ kibibytes }) => `Request body is larger than ${kibibytes} KiB`,
  },
  body_too_late: {
    status: 408,
    message: "The request body did not arrive in time",
    title: "body did not arrive in time",
    details: ownFields,
  },
  invalid_input: {
    status: 400,
    message: ({ errors: [first] }) => first.message,
    details: ({ errors }) => errorsOf(errors),
  },
  route_not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  https_required: { status: 403, message: "Use https.", title: "HTTPS required" },
  rate_limited: {
    status: 429,
    message: "Too many requests.",
    details: ({ retryAfterSeconds }) => ({ retry_after_seconds: retryAfterSeconds }),
  },
  missing_key: { status: 401, message: "Missing API key. Send it as Authorization: Bearer <key>." },
  invalid_key: { status: 401, message: "Invalid API token" },
  key_retired: {
    status: 401,
    message: ({ retiredAt }) => `This API key was retired on ${dateUtc(retiredAt)}.`,
    typedCode: "api_key_rotation_required",
  },
  insufficient_scope: {
    status: 403,
    message: ({ needed }) => `This API key doesn't have the scope "${needed}", which the call needs.`,
    details: ownFields,
  },
  test_key: { status: 403, message: "This API key works only in test mode.", details: ownFields },
  link_not_found: { status: 400, message: "Referral link not found" },
  program_not_found: { status: 400, message: "Program not found" },
  program_id_required: {
    status: 400,
    message: noProgramId,
    title: "program_id required",
    details: () => errorsOf([{ path: ["program_id"], message: noProgramId }]),
  },
  occurred_at_needs_key: {
    status: 400,
    message: "occurred_at needs a program API key",
    title: "occurred_at without an API key",
  },
  customer_not_found: { status: 400, message: "Customer not found. Provide a valid click_id or customer_key." },
  customer_of_another_program: { status: 400, message: "Customer does not belong to this program" },
  duplicate_transaction: {
    status: 409,
    message: "Duplicate transaction_id. This sale has already been recorded.",
    details: ({ sale, differences }) => ({
      ...saleReply(sale),
      same_request: differences.length === 0,
      differences,
    }),
  },
  items_sum: { status: 400, message: "items must add up to amount_cents", details: ({ code }) => ({ code }) },
  placeholder_id: {
    status: 400,
    message: ({ field }) => `${field} is a placeholder such as null or {{id}}, not an id`,
    title: "placeholder instead of an id",
    details: ownFields,
  },
  unknown_subscription: {
    status: 400,
    message: "customer_key or click_id is required",
    details: () => ({ unknown_subscription_id: true }),
  },
  sale_not_found: { status: 404, message: "Sale not found for transaction_id" },
  refund_exceeds_sale: {
    status: 400,
    message: "refund_amount_cents exceeds the amount left to refund",
    details: ({ refundableCents }) => ({ refundable_cents: refundableCents }),
  },
  refund_conflict: {
    status: 409,
    message: "Duplicate refund_id. This refund has already been recorded differently.",
    details: differencesOf,
  },
  too_many_refunds: {
    status: 409,
    message: caps.refunds.message,
    details: ({ code }) => ({ code, limit: caps.refunds.max }),
  },
  // The Worker doesn't send these two: it follows `program_moved` to the new shard, and turns `program_moving` into
  // `unavailable`.
  program_moved: { status: 503, message: unavailable },
  program_moving: { status: 503, message: unavailable },
  unavailable: {
    status: 503,
    message: unavailable,
    title: "service unavailable",
    typedCode: "service_unavailable",
  },
  internal: { status: 500, message: "Internal server error", title: "internal error", typedCode: "internal_error" },
} satisfies Partial<Entries<RefusalCode>>;

export type TrackingCode = keyof typeof ofTracking;
export type FurtherCode = Exclude<RefusalCode, TrackingCode>;

const entries: { [Code in RefusalCode]?: Entry<RefusalOf<Code>> } = { ...ofTracking };

export function addEntries(further: Entries<FurtherCode>): void {
  Object.assign(entries, further);
}

export function entryOf<Code extends RefusalCode>(code: Code): Entry<RefusalOf<Code>> {
  const entry = entries[code];
  if (entry === undefined) throw new Error(`No call that is loaded is refused with ${code}`);
  return entry;
}

export function messageOf(refusal: Refusal, style: RefusalStyle | undefined): string {
  const { message } = entryOf(refusal.code);
  return typeof message === "function" ? message(refusal) : (style?.messages[refusal.code] ?? message);
}

export const detailsOf = (refusal: Refusal): Record<string, unknown> => entryOf(refusal.code).details?.(refusal) ?? {};

export const titleOf = (code: RefusalCode): string => entryOf(code).title ?? code.replaceAll("_", " ");

export const retryAfterOf = (refusal: Refusal): number | undefined =>
  "retryAfterSeconds" in refusal ? refusal.retryAfterSeconds : undefined;
