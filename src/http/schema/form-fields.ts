import { isCallerId } from "#domain/caller-id.ts";
import { withAsciiDomain } from "#domain/email.ts";
import { isEmail } from "#domain/email-form.ts";
import { passwordLength } from "#domain/password.ts";
import { isVisible } from "#domain/visible-text.ts";
import { optionalText, programId, textRule } from "./fields.ts";
import { small, wide } from "./integers.ts";
import { parseTimestamp } from "./timestamp.ts";
import * as z from "./zod.ts";

// Separate from `fields.ts`, so that tracking calls don't compile these.
export * from "./fields.ts";

/**
 * A text for people, such as a name or a reason. It is trimmed. Unlike a caller's id, it must have a visible character.
 */
export const nonBlank = (field: string, max = 255) => {
  const message = textRule(field, max);
  return z
    .string(message)
    .trim()
    .refine((text) => isCallerId(text, max) && isVisible(text), { message, abort: true })
    .openapi({ minLength: 1, maxLength: max });
};

/** A list of 1 to `max` ids. */
export const ids = (field: string, max: number, message: string) =>
  z.array(programId(field), message).min(1, message).max(max, message);

const emailRule = (field: string) => `${field} must be an email address of at most 255 characters`;

export const emailAsWritten = (field: string) =>
  z.string(emailRule(field)).trim().refine(isEmail, emailRule(field)).openapi({ format: "email", maxLength: 255 });

/** An email address. Its domain is converted to ASCII (A-labels), as DNS has it. */
export const email = (field: string) => emailAsWritten(field).transform(withAsciiDomain);

/** An email address, or null for an empty text. */
export const emailOrEmpty = (field: string) =>
  z.union([z.literal(""), email(field)], emailRule(field)).transform((text) => text || null);

/** Null if absent or blank, because backends send blank texts for users without a name. */
export const optionalName = (field: string, max = 255) => {
  const message = `${field} must be a string of at most ${max} characters, without control characters`;
  const isName = (text: string) => !isVisible(text) || isCallerId(text, max);
  const shown = z.string(message).trim().refine(isName, message).openapi({ maxLength: max });
  return optionalText(shown.transform((text) => (isVisible(text) ? text : "")));
};

/** Null if absent or blank. */
export const optionalEmail = (field: string) => {
  const isAddress = (text: string) => text === "" || isEmail(text);
  const written = z.string(emailRule(field)).trim().refine(isAddress, emailRule(field));
  return optionalText(written.openapi({ maxLength: 255 }).transform(withAsciiDomain));
};

export const newPassword = (field: string) => {
  const { min, max } = passwordLength;
  const message = `${field} must be a string of ${min} to ${max} characters`;
  return z.string(message).min(min, message).max(max, message).regex(/\S/, `${field} must not be only white space`);
};

export const oneOf = <const Values extends readonly [string, ...string[]]>(field: string, values: Values) =>
  z.enum(
    values,
    `${field} must be ${values.slice(0, -1).join(", ")}${values.length > 1 ? " or " : ""}${values.at(-1)}`,
  );

const maxAddressLines = 8;

/** The lines of a postal address, as on an envelope. */
export const postalAddress = (field: string, max: number) => {
  const message = `${field} must be a string of 1 to ${max} characters in ${maxAddressLines} lines at most, not blank, without other control characters`;
  return z
    .string(message)
    .transform((text) => text.trim().replaceAll(/\s*\r?\n\s*/g, "\n"))
    .refine((text) => isCallerId(text.replaceAll("\n", " "), max) && isVisible(text), message)
    .refine((text) => text.split("\n").length <= maxAddressLines, message)
    .openapi({ type: "string", minLength: 1, maxLength: max });
};

const sizeOf = (max: number) => (max > small.maximum ? { format: wide.format } : {});

export const integer = (field: string, min: number, max: number) => {
  const message = `${field} must be an integer from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message).openapi(sizeOf(max));
};

export const instant = (field: string) => {
  const message = `${field} must be an ISO 8601 date and time with an offset`;
  return z
    .string(message)
    .refine((at) => parseTimestamp(at) !== undefined, message)
    .openapi({ format: "date-time", example: "2026-03-01T12:00:00Z" });
};

/** The instant (ms). If it is later than the call, returns the instant of the call. */
export const instantOf = (text: string | null, callAt: number): number | null =>
  text === null ? null : Math.min(parseTimestamp(text) ?? callAt, callAt);

export const integerText = (field: string, min: number, max: number) => {
  const message = `${field} must be an integer from ${min} to ${max}`;
  return z
    .string(message)
    .regex(/^-?\d+$/, message)
    .transform(Number)
    .refine((n) => n >= min && n <= max, message)
    .openapi({ type: "integer", minimum: min, maximum: max, ...sizeOf(max) });
};
