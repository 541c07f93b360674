import { isCallerId } from "#domain/caller-id.ts";
import { codeParamForm } from "#domain/code-param.ts";
import { isCurrency } from "#domain/currency.ts";
import { maxAmountCents } from "#domain/money.ts";
import { wide } from "./integers.ts";
import { parseTimestamp } from "./timestamp.ts";
import { isWebUrl } from "./web-url.ts";
import * as z from "./zod.ts";

/** Null if absent, as in the calls and rows that are built from the body. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

/** Null if absent or empty, because browsers and templates send empty strings. */
export const optionalText = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.nullish().transform((value) => value || null);

/** Undefined if absent. Use it for a change that updates only the fields that were sent. */
export const omittable = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

export const text = (field: string, max = 255) => {
  const message = `${field} must be a string of at most ${max} characters`;
  return z.string(message).max(max, message);
};

/** An id that the caller assigns. It is trimmed. `missing` is the message if it is absent, empty or not a string. */
export const callerId = (field: string, max = 255, missing?: string) =>
  exactId(field, max, missing).trim().openapi({ minLength: 1, maxLength: max });

export const textRule = (field: string, max: number): string =>
  `${field} must be a string of 1 to ${max} characters, not blank, without control characters`;

/** Like `callerId`, but not trimmed: a stored id may have outer white space. */
export const exactId = (field: string, max = 255, missing?: string) => {
  const message = textRule(field, max);
  return z
    .string(missing ?? message)
    .superRefine((id, { addIssue }) => {
      if (id === "") addIssue(missing ?? message);
      else if (!isCallerId(id.trim(), max)) addIssue(message);
    })
    .openapi({ minLength: 1, maxLength: max });
};

export const webUrl = (field: string, maxLength = 2_048) => {
  const message = `Invalid ${field}`;
  return z
    .string(message)
    .refine((url) => url === "" || isWebUrl(url, maxLength), message)
    .openapi({ format: "uri", maxLength });
};

export const codeParam = (field: string) => {
  const message = `${field} must be 1 to 20 characters of a-z, 0-9, _ and -, and not aff, aff_sub or utm_*`;
  return z.string(message).regex(codeParamForm, message);
};

export const pageUrl = (field: string) =>
  optionalText(webUrl(field)).describe(
    "Only the query parameters `aff`, `aff_sub`, `utm_*` and a click's `code_param` are stored, and 512 characters of the path. Path segments that look like an email address, a long number or a token are stored as `*`.",
  );

export const clickId = () => optionalText(text("click_id").trim());

export const clickIds = () =>
  optional(z.array(text("click_ids").trim(), "click_ids must be an array of strings"))
    .transform((ids) => (ids?.some(Boolean) ? ids.filter(Boolean) : null))
    .describe("The visitor's earlier click ids, newest last. Only the last 20 are used.");

export const programId = (field: string) => {
  const message = `${field} must be a positive integer`;
  return z
    .union(
      [z.number().openapi({ type: "integer", minimum: 1, ...wide }), z.string().regex(/^[1-9]\d*$/, message)],
      message,
    )
    .transform(Number)
    .refine((id) => Number.isSafeInteger(id) && id >= 1, message);
};

export const amountCents = (field: string, message = `${field} must be a positive integer`) =>
  z
    .number(message)
    .refine((cents) => Number.isInteger(cents) && cents >= 1, message)
    .refine((cents) => cents <= maxAmountCents, `${field} must not be above ${maxAmountCents}`)
    .openapi({ type: "integer", minimum: 1, ...wide, maximum: maxAmountCents });

export const totalCents = (field: string, message = `${field} must be a positive integer`) =>
  z
    .number(message)
    .refine((cents) => Number.isInteger(cents) && cents >= 0, message)
    .refine((cents) => cents <= maxAmountCents, `${field} must not be above ${maxAmountCents}`)
    .openapi({ type: "integer", minimum: 0, ...wide, maximum: maxAmountCents });

export const currency = (field: string) => {
  const message = `${field} must be an ISO 4217 currency code`;
  return z.string(message).toUpperCase().refine(isCurrency, message).openapi({ example: "USD" });
};

export const flag = (field: string) => z.boolean(`${field} must be a boolean`);

/** `refuseInvalid` checks the age, because that depends on the call's instant. */
export const occurredAt = () => {
  const message = "occurred_at must be an ISO 8601 date and time with an offset";
  return z
    .string(message)
    .refine((at) => parseTimestamp(at) !== undefined, message)
    .openapi({ format: "date-time", example: "2026-03-01T12:00:00Z" });
};

/** Returns the instant (ms). If the text is absent or later than the call, returns the instant of the call. */
export const occurredAtOf = (text: string | null, callAt: number): number =>
  text === null ? callAt : Math.min(parseTimestamp(text) ?? callAt, callAt);

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const json = (field: string, kibibytes: number) =>
  z
    .unknown()
    .refine(
      (value) => value == null || jsonBytes(value) <= kibibytes * 1024,
      `${field} is larger than ${kibibytes} KiB`,
    )
    .optional();

const maxAdditionalKibibytes = 8;

export const additionalData = () =>
  z
    .looseObject(
      {
        test_mode: omittable(flag("additional_data.test_mode")).describe(
          "Records the event in test mode, separate from live data.",
        ),
        program_id: omittable(programId("additional_data.program_id")).describe(
          "Id of the program. Used only in test mode.",
        ),
        event_name: omittable(text("additional_data.event_name")).transform((name) => name || undefined),
      },
      "additional_data must be an object",
    )
    .refine(
      (data) => jsonBytes(data) <= maxAdditionalKibibytes * 1024,
      `additional_data is larger than ${maxAdditionalKibibytes} KiB`,
    );

export function isTest({ additional_data: data }: { readonly additional_data?: unknown }): boolean {
  return typeof data === "object" && data !== null && "test_mode" in data && data.test_mode === true;
}

type Fields = Readonly<Record<string, unknown>>;
type Rule<Body> = [
  (body: Body) => boolean,
  { path: string[]; message: string; when(payload: { value: unknown }): boolean },
];

/**
 * Arguments of `refine` for a rule across fields. Unlike Zod's default, the rule runs even if single fields are
 * invalid. Its error is reported for the first of the fields.
 */
export const rule = <Body>(fields: readonly string[], message: string, holds: (body: Body) => boolean): Rule<Body> => [
  holds,
  { path: fields.slice(0, 1), message, when: ({ value }) => typeof value === "object" && value !== null },
];

const hasOneOf = (fields: readonly string[]) => (body: Fields) => fields.some((field) => body[field] != null);

export const requiredUnlessTest = (fields: readonly string[], message: string) =>
  rule(fields, message, (body: Fields) => isTest(body) || hasOneOf(fields)(body));

export interface ProgramReference {
  readonly program_id: number | null;
  readonly additional_data: {
    readonly test_mode?: boolean | undefined;
    readonly program_id?: number | undefined;
  } | null;
}

export const bookOf = (body: ProgramReference) => ({ programId: programIdOf(body), isTest: isTest(body) });

export const programIdOf = (body: ProgramReference): number | null =>
  body.program_id ?? (isTest(body) ? body.additional_data?.program_id : null) ?? null;
