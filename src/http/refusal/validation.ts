import { clockToleranceMs, dayMs } from "../../domain/calendar.ts";
import type { FieldError, Refusal } from "../../domain/refusal.ts";
import type { Ctx } from "../context.ts";
import { parseTimestamp } from "../schema/timestamp.ts";
import type * as z from "../schema/zod.ts";
import { refuseAfterKeyCheck } from "./refuse.ts";

type Validated = { readonly success: boolean; readonly error?: z.ZodError | undefined };

/**
 * A validator's hook that refuses a body or a query with all its faults, in the order of the schema's fields. `daysBack`
 * is how old `occurred_at` may be; without it, any age is right.
 */
export const refuseInvalid = (schema: z.ZodObject, daysBack?: number) => (result: Validated, c: Ctx) => {
  const refusal = refusalOf(schema, [...faultsOf(result.error), ...faultsOfTime(c, daysBack)]);
  return refusal === undefined ? undefined : refuseAfterKeyCheck(c, refusal);
};

/** The refusal of a body that its schema does not allow; undefined where it does. */
export const refusalOfBody = (schema: z.ZodObject, body: unknown): Refusal | undefined =>
  refusalOf(schema, faultsOf(schema.safeParse(body).error));

function refusalOf(schema: z.ZodObject, faults: readonly FieldError[]): Refusal | undefined {
  const order = Object.keys(schema.shape);
  const place = ({ path: [field] }: FieldError) => order.indexOf(String(field));
  const [first, ...rest] = faults.toSorted((a, b) => place(a) - place(b));
  return first === undefined ? undefined : { code: "invalid_input", faults: [first, ...rest] };
}

const faultsOf = (error: z.ZodError | undefined): FieldError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === "number" ? part : String(part))),
    message,
  }));

/** The age of `occurred_at` depends on the call's own instant, which a schema does not know. Without a key it is ignored. */
function faultsOfTime(c: Ctx, daysBack: number | undefined): FieldError[] {
  const key = c.get("key");
  const body = c.get("body");
  const text = body?.occurred_at;
  const occurredAt = typeof text === "string" ? parseTimestamp(text) : undefined;
  if (occurredAt === undefined || key === undefined) return [];
  const age = c.get("call").at - occurredAt;
  const fault = (message: string): FieldError => ({ path: ["occurred_at"], message });
  if (age < -clockToleranceMs) return [fault("occurred_at is in the future")];
  if (daysBack !== undefined && age > daysBack * dayMs) return [fault(`occurred_at is more than ${daysBack} days ago`)];
  return [];
}

/** When it happened: the instant given, or that of the call, which it is never after. */
export const occurredAtOf = (text: string | undefined, callAt: number): number =>
  text === undefined ? callAt : Math.min(parseTimestamp(text) ?? callAt, callAt);
