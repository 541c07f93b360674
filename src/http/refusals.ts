import type { Refusal, RefusalCode } from "../domain/refusal.ts";
import type { Examples } from "./described.ts";
import { envelope, isTyped, PlatformFailure, TypedFailure } from "./envelope.ts";
import { type FailureStatus, type FailureStyle, failureOf } from "./failure.ts";
import { refusalExamples } from "./refusal-examples.ts";
import { rotationHelp } from "./rotation.ts";
import * as z from "./zod.ts";

/** What may come of any call that has a body. */
export const ofBody = ["malformed_json", "payload_too_large", "unsupported_media_type"] as const;
/** What may come of any call that has a key. */
export const ofKey = ["invalid_key", "key_retired"] as const;
/** What may come of any call. */
export const ofAny = ["rate_limited", "internal", "unavailable"] as const;

/** The refusal of a body for one field. */
export const faulty = (field: string, message: string) =>
  ({ code: "invalid_input", faults: [{ path: [field], message }] }) as const satisfies Refusal;

const Failure = z.union([PlatformFailure, TypedFailure]);
type Failure = z.output<typeof Failure>;

interface Response {
  description: string;
  content: { "application/json": { schema: z.ZodType<Failure>; examples: Examples<Failure> } };
}

/**
 * The answers that refuse, by status, each said as `refuse` says it. The type has every status: to a client that tells
 * success from failure they are one.
 */
export function refusals(
  style: FailureStyle | undefined,
  ...refused: readonly (RefusalCode | Refusal)[]
): Record<FailureStatus, Response> {
  const all = refused.map((item): Refusal => (typeof item === "string" ? refusalExamples[item] : item));
  const statusOf = ({ code }: Refusal) => failureOf(code).status;
  const statuses = new Set(all.map(statusOf));
  const responses = [...statuses].map((status) => {
    const those = all.filter((refusal) => statusOf(refusal) === status);
    return [status, response(those, style)] as const;
  });
  return Object.fromEntries(responses) as Record<FailureStatus, Response>;
}

function response(those: readonly Refusal[], style: FailureStyle | undefined): Response {
  const typed = those.filter(({ code }) => isTyped(code, style)).length;
  const schema = typed === 0 ? PlatformFailure : typed === those.length ? TypedFailure : Failure;
  const description = [...new Set(those.map(({ code }) => code.replaceAll("_", " ")))].join(", ");
  // Only the document asks for the examples: they are made when it does, not at each start.
  const content = {
    schema,
    get examples() {
      return examplesOf(those, style);
    },
  };
  return { description, content: { "application/json": content } };
}

function examplesOf(those: readonly Refusal[], style: FailureStyle | undefined): Examples<Failure> {
  const help = rotationHelp("https://api.example");
  const named = those.map((refusal, i) => {
    const name = those.slice(0, i).some(({ code }) => code === refusal.code) ? `${refusal.code}_${i}` : refusal.code;
    return [name, { value: envelope(refusal, style, help) }] as const;
  });
  return Object.fromEntries(named);
}
