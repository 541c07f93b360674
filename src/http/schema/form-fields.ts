import { passwordLength } from "../../domain/password.ts";
import { callerId } from "./fields.ts";
import * as z from "./zod.ts";

// Fields of what people send: beside the kit of `wire.ts`, and apart from it, for a click needs none of these.

/** Text that says something. */
export const filled = (field: string, max = 255) => callerId(field, max);

export const email = (field: string) => {
  const message = `${field} must be an e-mail address of at most 255 characters`;
  return z.email(message).max(255, message);
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

/** A whole number in a body. */
export const whole = (field: string, min: number, max: number) => {
  const message = `${field} must be an integer from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** A whole number in a query, where everything is text. */
export const wholeText = (field: string, min: number, max: number) => {
  const message = `${field} must be an integer from ${min} to ${max}`;
  return z
    .string(message)
    .regex(/^-?\d+$/, message)
    .transform(Number)
    .refine((n) => n >= min && n <= max, message)
    .openapi({ type: "integer", minimum: min, maximum: max });
};
