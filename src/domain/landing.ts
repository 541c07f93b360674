/**
 * Matches a code and the letters and digits around it, of any script. Codes are ASCII, but `zoë` must not be read as
 * `zo`. Bytes that aren't UTF-8, or that were encoded twice, may be letters too.
 */
const codeForm = /^(?:[\p{L}\p{M}\p{N}_\uFFFD-]|%[89A-Fa-f][\dA-Fa-f])+/u;

export type Parameter = readonly [name: string, value: string];

export interface LandingCode {
  /** The code as written in the URL. */
  readonly code: string | null;
  /** The query parameter that contains the code. Null for `aff`. */
  readonly codeParam: string | null;
}

export const withoutInvisible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");

/** The parameter's name in lower case, without `amp;`, which is left in links of mails that escape `&` twice. */
const plainName = (name: string): string => name.toLowerCase().replace(/^(?:amp;)+/, "");

/**
 * The query parameters of a landing page under their plain names. Correctly spelled ones come first, damaged ones after
 * them.
 */
export function parametersOf(query: URLSearchParams): readonly Parameter[] {
  const given = [...query].map(([name, value]) => [withoutInvisible(name), value] as const);
  const isPlain = ([name]: Parameter) => name === plainName(name);
  const damaged = given.filter((parameter) => !isPlain(parameter));
  return [...given.filter(isPlain), ...damaged.map(([name, value]) => [plainName(name), value] as const)];
}

/**
 * The first code in the parameter. Editors and campaign tools append text to codes (`anna?utm_source=mail`, `anna)`),
 * so a code ends at the first character that can't be part of one.
 */
const codeIn = (parameters: readonly Parameter[], wanted: string): string | null =>
  parameters
    .filter(([name]) => name === wanted)
    .map(([, value]) => codeForm.exec(withoutInvisible(value).trim())?.[0])
    .find((code) => code !== undefined) ?? null;

/** Finds the code in a landing page's query. `aff` takes precedence over `codeParam`. */
export function landingCode(query: URLSearchParams, codeParam: string | null): LandingCode {
  const parameters = parametersOf(query);
  const code = codeIn(parameters, "aff");
  const other = code === null && codeParam !== null ? codeIn(parameters, codeParam) : null;
  return other === null ? { code, codeParam: null } : { code: other, codeParam };
}

/**
 * The form of a code for lookups. Only A to Z become lower case, because some other letters have a lower case in ASCII
 * and would then match a partner's code.
 */
export const codeKeyOf = (code: string): string => code.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
