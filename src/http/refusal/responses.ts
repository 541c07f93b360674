import type { Refusal, RefusalCode } from "#domain/refusal.ts";
import * as z from "../schema/zod.ts";
import { isTyped, PlatformFailure, TypedFailure } from "./envelope.ts";
import { entryOf, type RefusalStatus, type RefusalStyle, titleOf } from "./table.ts";

// Refusals that every endpoint with a body can return. The two lists below are for every endpoint with a key, and for
// every endpoint.
export const bodyRefusals = [
  "invalid_input",
  "malformed_json",
  "payload_too_large",
  "body_too_late",
  "unsupported_media_type",
  "unsupported_content_encoding",
] as const;
export const keyRefusals = ["invalid_key", "key_retired", "insufficient_scope", "test_key"] as const;
export const commonRefusals = ["https_required", "rate_limited", "internal", "unavailable"] as const;

export const invalidField = (field: string, message: string) =>
  ({ code: "invalid_input", errors: [{ path: [field], message }] }) as const satisfies Refusal;

const Failure = z.union([PlatformFailure, TypedFailure]);

interface RefusalResponse {
  description: string;
  content: { "application/json": { schema: z.ZodType<z.output<typeof Failure>> } };
  /** The codes from which the document's examples and schemas of `details` are generated. */
  "x-refusals": readonly RefusalCode[];
}

/**
 * Responses by status. The type doesn't depend on the codes, because a typed client only distinguishes success from
 * failure.
 */
export function responsesOf(
  codes: readonly RefusalCode[],
  style: RefusalStyle | undefined,
): Record<RefusalStatus, RefusalResponse> {
  const statuses = new Set(codes.map((code) => entryOf(code).status));
  const responses = [...statuses].map((status) => {
    const sameStatus = codes.filter((code) => entryOf(code).status === status);
    return [status, response(sameStatus, style)] as const;
  });
  return Object.fromEntries(responses) as Record<RefusalStatus, RefusalResponse>;
}

function descriptionOf(codes: readonly RefusalCode[]): string {
  const [first = "", ...rest] = [...new Set(codes)].map(titleOf);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(", ");
}

function response(codes: readonly RefusalCode[], style: RefusalStyle | undefined): RefusalResponse {
  const typed = codes.filter((code) => isTyped(code, style)).length;
  const schema = typed === 0 ? PlatformFailure : typed === codes.length ? TypedFailure : Failure;
  const description = descriptionOf(codes);
  return { description, content: { "application/json": { schema } }, "x-refusals": codes };
}
