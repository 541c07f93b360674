import { isCallerId } from "../../domain/caller-id.ts";
import { isCurrency } from "../../domain/currency.ts";
import { maxAmountCents } from "../../domain/money.ts";
import { parseTimestamp } from "./timestamp.ts";
import { isWebUrl } from "./web-url.ts";
import * as z from "./zod.ts";

/** A field that may be absent, or null, which is the same. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** The same for text of which browsers and templates write "nothing" as an empty string. */
export const optionalText = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.nullish().transform((value) => value || undefined);

export const text = (field: string, max = 255) => {
  const message = `${field} must be a string of at most ${max} characters`;
  return z.string(message).max(max, message);
};

/** An id or key of the caller's own. `missing` is said where it is absent, empty or no string. */
export const callerId = (field: string, max = 255, missing?: string) => {
  const message = `${field} must be a string of 1 to ${max} characters, not blank, without control characters`;
  return z
    .string(missing ?? message)
    .superRefine((id, { addIssue }) => {
      if (id === "") addIssue(missing ?? message);
      else if (id.length > max || !isCallerId(id)) addIssue(message);
    })
    .openapi({ minLength: 1, maxLength: max });
};

export const webUrl = (field: string) => {
  const message = `Invalid ${field}`;
  return z
    .string(message)
    .refine((url) => url === "" || isWebUrl(url), message)
    .openapi({ format: "uri", maxLength: 2048 });
};

/** The address of a page that a visitor was on. */
export const pageUrl = (field: string) =>
  optionalText(webUrl(field)).describe(
    "Only the `aff` and `utm_*` query parameters are stored. Path segments that look like an e-mail address, a long number or a token are stored as `*`.",
  );

/** A visitor's earlier clicks. */
export const clickIds = () =>
  optional(z.array(text("click_ids"), "click_ids must be an array of strings"))
    .transform((ids) => (ids?.some(Boolean) ? ids.filter(Boolean) : undefined))
    .describe("The visitor's earlier click ids, newest last. Only the last 20 are used.");

/** A program's id, as an integer or its decimal string. */
export const programId = (field: string) => {
  const message = `${field} must be a positive integer`;
  return z
    .union([z.number().openapi({ type: "integer", minimum: 1 }), z.string().regex(/^[1-9]\d*$/, message)], message)
    .transform(Number)
    .refine((id) => Number.isSafeInteger(id) && id >= 1, message);
};

/** An amount in the currency's smallest unit. */
export const amountCents = (field: string, message = `${field} must be a positive integer`) =>
  z
    .number(message)
    .refine((cents) => Number.isInteger(cents) && cents >= 1, message)
    .refine((cents) => cents <= maxAmountCents, `${field} must not be above ${maxAmountCents}`)
    .openapi({ type: "integer", minimum: 1, maximum: maxAmountCents });

/** A running total in the currency's smallest unit, which may be 0. */
export const totalCents = (field: string, message = `${field} must be a positive integer`) =>
  z
    .number(message)
    .refine((cents) => Number.isInteger(cents) && cents >= 0, message)
    .refine((cents) => cents <= maxAmountCents, `${field} must not be above ${maxAmountCents}`)
    .openapi({ type: "integer", minimum: 0, maximum: maxAmountCents });

export const currency = (field: string) => {
  const message = `${field} must be an ISO 4217 currency code`;
  return z.string(message).toUpperCase().refine(isCurrency, message).openapi({ example: "USD" });
};

export const flag = (field: string) => z.boolean(`${field} must be a boolean`);

/** The instant that a caller gives. Whether it is near enough depends on the call: see `faults.ts`. */
export const occurredAt = () => {
  const message = "occurred_at must be an ISO 8601 date and time with an offset";
  return z
    .string(message)
    .refine((at) => parseTimestamp(at) !== undefined, message)
    .openapi({ format: "date-time", example: "2026-03-01T12:00:00Z" });
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Any JSON, of at most so many KiB as text. */
export const json = (field: string, kibibytes: number) =>
  z
    .unknown()
    .refine((value) => value == null || bytesOf(value) <= kibibytes * 1024, `${field} is larger than ${kibibytes} KiB`)
    .optional();

const maxAdditionalKibibytes = 8;

export const additionalData = () =>
  z
    .looseObject(
      {
        test_mode: optional(flag("additional_data.test_mode")).describe(
          "Runs the call in test mode, separate from live data.",
        ),
        program_id: optional(programId("additional_data.program_id")).describe(
          "Id of the program. Used only in test mode.",
        ),
        event_name: optionalText(text("additional_data.event_name")),
      },
      "additional_data must be an object",
    )
    .refine(
      (data) => bytesOf(data) <= maxAdditionalKibibytes * 1024,
      `additional_data is larger than ${maxAdditionalKibibytes} KiB`,
    );

/** Whether a body, faulty or not, asks for the test book. */
export function isTest({ additional_data: data }: { readonly additional_data?: unknown }): boolean {
  return typeof data === "object" && data !== null && "test_mode" in data && data.test_mode === true;
}

type Fields = Readonly<Record<string, unknown>>;
type Rule<Body> = [
  (body: Body) => boolean,
  { path: string[]; message: string; when(payload: { value: unknown }): boolean },
];

/**
 * A rule across fields, for `refine`: it is judged beside the fields' own faults, not only once they are all good, and
 * its fault is listed at the first of the fields.
 */
export const rule = <Body>(fields: readonly string[], message: string, holds: (body: Body) => boolean): Rule<Body> => [
  holds,
  { path: fields.slice(0, 1), message, when: ({ value }) => typeof value === "object" && value !== null },
];

const hasOneOf = (fields: readonly string[]) => (body: Fields) => fields.some((field) => body[field] !== undefined);

/** A rule: one of these fields is there, unless the body asks for the test book. */
export const liveNeeds = (fields: readonly string[], message: string) =>
  rule(fields, message, (body: Fields) => isTest(body) || hasOneOf(fields)(body));

export interface NamesProgram {
  readonly program_id?: number | undefined;
  readonly additional_data?:
    | { readonly test_mode?: boolean | undefined; readonly program_id?: number | undefined }
    | undefined;
}

/** The book that a body names, as far as it does. */
export const bookOf = (body: NamesProgram) => ({ programId: programIdOf(body), isTest: isTest(body) });

/** The program that a body names; in test mode it may do so in `additional_data`. */
export const programIdOf = (body: NamesProgram): number | undefined =>
  body.program_id ?? (isTest(body) ? body.additional_data?.program_id : undefined);
