import { clockToleranceMs, dayMs } from "#domain/calendar.ts";
import type { FieldError, Refusal } from "#domain/refusal.ts";
import type { Ctx } from "../context.ts";
import { isTest } from "../schema/fields.ts";
import { parseTimestamp } from "../schema/timestamp.ts";
import type * as z from "../schema/zod.ts";
import { refuseAfterKeyCheck } from "./refuse.ts";

export type Validated = { readonly success: boolean; readonly error?: z.ZodError | undefined };

/**
 * A validator's hook. It refuses with all errors at once, in the order of the schema's fields. `maxAgeDays` limits the
 * age of `occurred_at`, in test mode `maxTestAgeDays`.
 */
export const refuseInvalid =
  (schema: z.ZodObject, maxAgeDays?: number, maxTestAgeDays = maxAgeDays) =>
  (result: Validated, c: Ctx) => {
    const refusal = refusalOf(schema, [...fieldErrors(result.error), ...ageErrors(c, maxAgeDays, maxTestAgeDays)]);
    return refusal === undefined ? undefined : refuseAfterKeyCheck(c, refusal);
  };

export const refusalOfBody = (schema: z.ZodObject, body: unknown): Refusal | undefined =>
  refusalOf(schema, fieldErrors(schema.safeParse(body).error));

function refusalOf(schema: z.ZodObject, errors: readonly FieldError[]): Refusal | undefined {
  const order = Object.keys(schema.shape);
  const indexOf = ({ path: [field] }: FieldError) => order.indexOf(String(field));
  const [first, ...rest] = errors.toSorted((a, b) => indexOf(a) - indexOf(b));
  return first === undefined ? undefined : { code: "invalid_input", errors: [first, ...rest] };
}

const fieldErrors = (error: z.ZodError | undefined): FieldError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === "number" ? part : String(part))),
    message,
  }));

/**
 * Errors for an `occurred_at` that is too old. The schema can't find them, because it doesn't know the call's instant.
 * Without a key, a lead's `occurred_at` is ignored, and a click with one is refused elsewhere.
 */
function ageErrors(c: Ctx, maxAgeDays: number | undefined, maxTestAgeDays: number | undefined): FieldError[] {
  const key = c.get("key");
  const body = c.get("body") ?? {};
  const text = body.occurred_at;
  const occurredAt = typeof text === "string" ? parseTimestamp(text) : undefined;
  if (occurredAt === undefined || key === undefined) return [];
  return instantErrors("occurred_at", occurredAt, c.get("call").at, isTest(body) ? maxTestAgeDays : maxAgeDays);
}

export function instantErrors(
  field: string,
  at: number,
  callAt: number,
  maxAgeDays = Number.POSITIVE_INFINITY,
): [] | [FieldError] {
  if (callAt - at > maxAgeDays * dayMs) {
    return [{ path: [field], message: `${field} is more than ${maxAgeDays} days ago` }];
  }
  return at > callAt + clockToleranceMs ? [{ path: [field], message: `${field} is in the future` }] : [];
}
