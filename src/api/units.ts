import type { ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import {
  isCurrencyOrUnit,
  isUnitCode,
  isUnitWord,
  maxUnitDigits,
  maxUnitWord,
  noUnits,
  type Units,
  unitsByCode,
} from "#domain/units.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32 } from "#http/schema/integers.ts";
import { record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { unitsOfProgram } from "#store/units.ts";
import { readFromDatabase } from "./read-database.ts";

const codeRule = "code must be 4 to 12 letters from A to Z";

const word = (field: string) =>
  fields
    .nonBlank(field, maxUnitWord)
    .refine(isUnitWord, `${field} must be letters, digits, spaces, apostrophes and hyphens`);

export const NewUnit = z
  .object({
    code: z
      .string(codeRule)
      .refine(isUnitCode, codeRule)
      .describe("Code that amounts in the unit have instead of a currency code, such as `MONTHS`.")
      .openapi({ example: "MONTHS" }),
    digits: fields
      .integer("digits", 0, maxUnitDigits)
      .describe("Number of decimal digits of an amount. With 1, the amount 15 means 1.5."),
    one: word("one").describe("Text after an amount of 1.").openapi({ example: "free month" }),
    other: word("other").describe("Text after other amounts.").openapi({ example: "free months" }),
  })
  .openapi("NewUnit");

export const unitRecord = record("Unit", {
  code: z.string().openapi({ example: "MONTHS" }),
  digits: int32().describe("Number of decimal digits of an amount."),
  one: z.string().describe("Text after an amount of 1.").openapi({ example: "free month" }),
  other: z.string().describe("Text after other amounts.").openapi({ example: "free months" }),
});

/** Reads all units of the program. A program has at most ten. */
export async function readUnits(c: Ctx, programId: ProgramId): Promise<Result<Units>> {
  const found = await readFromDatabase(c, "program", (database) => readOne(database, unitsOfProgram({ programId })));
  return found.ok ? ok(unitsByCode(found.value)) : found;
}

const codeMessage = (field: string) =>
  `${field} must be an ISO 4217 currency code or the code of a unit of the program`;

/** Accepts a currency or a code in the form of a unit. `unitsOf` checks whether the program has the unit. */
export const currencyOrUnit = (field = "currency") =>
  z.string(codeMessage(field)).toUpperCase().refine(isCurrencyOrUnit, codeMessage(field)).openapi({ example: "USD" });

/**
 * Returns the units needed to format amounts in this currency or unit. Refuses a unit that the program doesn't have.
 * Makes no read for a currency.
 */
export async function unitsOf(
  c: Ctx,
  programId: ProgramId,
  code: string | null | undefined,
  field = "currency",
): Promise<Result<Units>> {
  if (code == null || !isUnitCode(code)) return ok(noUnits);
  const units = await readUnits(c, programId);
  if (!units.ok || units.value.has(code)) return units;
  return refused({ code: "invalid_input", errors: [{ path: [field], message: codeMessage(field) }] });
}
