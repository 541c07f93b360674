import type { Refusal, RefusalCode } from "../domain/refusal.ts";
import { isTyped, PlatformFailure, TypedFailure } from "./envelope.ts";
import { type FailureStatus, type FailureStyle, failureOf } from "./failure.ts";
import * as z from "./zod.ts";

/** What may come of any call that has a body. */
export const ofBody = ["invalid_input", "malformed_json", "payload_too_large", "unsupported_media_type"] as const;
/** What may come of any call that has a key. */
export const ofKey = ["invalid_key", "key_retired"] as const;
/** What may come of any call. */
export const ofAny = ["https_required", "rate_limited", "internal", "unavailable"] as const;

/** The refusal of a body for one field. */
export const faulty = (field: string, message: string) =>
  ({ code: "invalid_input", faults: [{ path: [field], message }] }) as const satisfies Refusal;

const Failure = z.union([PlatformFailure, TypedFailure]);

interface FailureResponse {
  description: string;
  content: { "application/json": { schema: z.ZodType<z.output<typeof Failure>> } };
  /** What the document's examples are made from. */
  "x-refusals": readonly RefusalCode[];
}

/**
 * The answers that refuse, by status. The type has every status: to a client that tells success from failure they are
 * one.
 */
export function refusals(
  style: FailureStyle | undefined,
  codes: readonly RefusalCode[],
): Record<FailureStatus, FailureResponse> {
  const statuses = new Set(codes.map((code) => failureOf(code).status));
  const responses = [...statuses].map((status) => {
    const those = codes.filter((code) => failureOf(code).status === status);
    return [status, response(those, style)] as const;
  });
  return Object.fromEntries(responses) as Record<FailureStatus, FailureResponse>;
}

function response(codes: readonly RefusalCode[], style: FailureStyle | undefined): FailureResponse {
  const typed = codes.filter((code) => isTyped(code, style)).length;
  const schema = typed === 0 ? PlatformFailure : typed === codes.length ? TypedFailure : Failure;
  const description = codes.map((code) => code.replaceAll("_", " ")).join(", ");
  return { description, content: { "application/json": { schema } }, "x-refusals": codes };
}
