import { type ProblemCode, type Reading, unread } from "./reading.ts";

/**
 * Errors as spreadsheets write them in any language: #N/A, #REF!, #¿NOMBRE?, #NV, Err:502, and ### in a narrow
 * column.
 */
const errorValue =
  /^(?:#[¡¿]?\p{Lu}[\p{Lu}\d/_]*\s?[!?]|#\p{Lu}\/\p{Lu}|#n\/a|#(?:NV|YOK|HIÁNYZIK|GETTING_DATA)|#{2,}|(?:Err|Erreur|Fehler)\s?:\d{3}|Loading\.\.\.)$/u;

/** A long number in the form in which a spreadsheet shows it: 1.23457E+15, 1E+15, 1,234568e12. */
const scientific = /^'?[+\-−]?(?:\p{Nd}{1,3}[.,٫·]\p{Nd}+\s?E[+\-−]?|\p{Nd}E[+\-−])\p{Nd}{1,3}$/iu;

/** A number that may have been rounded: a spreadsheet keeps 15 digits. */
const rounded = /^[+-]?\d{15}0{2,}$/;

/** A number that was written with decimals or in groups of thousands. */
const formatted = /^(?:\d+[.,]0+|[1-9]\d{0,2}(?:(?:[,\u00A0\u202F]\d{3})+|(?:[.'’]\d{3}){2,}))$/;

interface Damage {
  readonly is: (text: string) => boolean;
  readonly expected: string;
  readonly code?: ProblemCode;
}

const ofText: readonly Damage[] = [
  {
    is: (text) => errorValue.test(text),
    expected: "a value, not a spreadsheet's error: correct the cell, and save the file again",
  },
  {
    is: (text) => text.includes("\uFFFD"),
    expected: "text without �, which stands for a lost character: save the original file as CSV in UTF-8",
  },
];

const wholeId = "the whole id: format the column as text, and save the file again";

const ofIds: readonly Damage[] = [
  {
    is: (text) => /^#{2,}$/.test(text) || scientific.test(text) || rounded.test(text),
    expected: wholeId,
    code: "rounded_id",
  },
  ...ofText,
];

const ofNumbers: readonly Damage[] = [
  {
    is: (text) => formatted.test(text),
    expected: "the id without decimals and separators: format the column as text, and save the file again",
  },
];

const firstOf =
  (damages: readonly Damage[]) =>
  (text: string): Reading<never> | undefined => {
    const found = damages.find(({ is }) => is(text));
    return found && unread(found.expected, found.code);
  };

/** The damage that a spreadsheet or a wrong encoding did to a text. Undefined if none is visible. */
export const damageOfText = firstOf(ofText);
/** The damage of a code in a list. */
export const damageOfCode = firstOf(ofIds);
export const damageOfId = firstOf([...ofIds, ...ofNumbers]);

const sixteenDigits = /^\d{16}$/;

/** The 16-digit ids of a column, if all of them end in 0, because a spreadsheet has rounded their last digit. */
export function roundedTogether(ids: readonly string[]): ReadonlySet<string> {
  const long = new Set(ids.filter((id) => sixteenDigits.test(id)));
  return long.size >= 3 && [...long].every((id) => id.endsWith("0")) ? long : new Set();
}

export const roundedId: Reading<never> = unread(wholeId, "rounded_id");
