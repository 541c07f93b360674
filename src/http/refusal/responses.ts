import type { Refusal, RefusalCode } from "../../domain/refusal.ts";
import * as z from "../schema/zod.ts";
import { isTyped, PlatformFailure, TypedFailure } from "./envelope.ts";
import { type FailureStatus, type FailureStyle, failureOf } from "./table.ts";

/** What may come of any call that has a body. */
export const bodyRefusals = ["invalid_input", "malformed_json", "payload_too_large", "unsupported_media_type"] as const;
/** What may come of any call that has a key. */
export const keyRefusals = ["invalid_key", "key_retired"] as const;
/** What may come of any call. */
export const commonRefusals = ["https_required", "rate_limited", "internal", "unavailable"] as const;

/** The refusal of a body for one field. */
export const invalidField = (field: string, message: string) =>
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

/** Names of refusals whose codes don't read as one. */
const titles: Partial<Record<RefusalCode, string>> = {
  malformed_json: "malformed JSON",
  https_required: "HTTPS required",
  program_id_required: "program_id required",
  occurred_at_needs_key: "occurred_at without an API key",
  no_session: "not signed in",
  foreign_origin: "wrong content type or origin",
  invitation_invalid: "invalid invitation",
  reset_invalid: "invalid reset link",
  moving: "sale still being attributed",
  internal: "internal error",
  unavailable: "service unavailable",
};

function descriptionOf(codes: readonly RefusalCode[]): string {
  const [first = "", ...rest] = [...new Set(codes)].map((code) => titles[code] ?? code.replaceAll("_", " "));
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(", ");
}

function response(codes: readonly RefusalCode[], style: FailureStyle | undefined): FailureResponse {
  const typed = codes.filter((code) => isTyped(code, style)).length;
  const schema = typed === 0 ? PlatformFailure : typed === codes.length ? TypedFailure : Failure;
  const description = descriptionOf(codes);
  return { description, content: { "application/json": { schema } }, "x-refusals": codes };
}
