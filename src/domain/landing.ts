/**
 * Letters and digits of any script: they never occur in a code, but `zoë` must not be read as `zo`. Bytes that aren't
 * UTF-8, or were encoded twice, may be such letters.
 */
const codeForm = /^(?:[\p{L}\p{M}\p{N}_\uFFFD-]|%[89A-Fa-f][\dA-Fa-f])+/u;

export type Parameter = readonly [name: string, value: string];

export interface LandingCode {
  /** The code as it is written in the address. */
  readonly code: string | null;
  /** The query parameter that holds it. Null: `aff`. */
  readonly codeParam: string | null;
}

export const withoutInvisible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");

/** Mails that escape `&` once too often leave `amp;` before a name. */
const plainName = (name: string): string => name.toLowerCase().replace(/^(?:amp;)+/, "");

/**
 * A landing's parameters by their plain names: first the correctly spelled ones, then those that a tool has damaged.
 */
export function parametersOf(query: URLSearchParams): readonly Parameter[] {
  const given = [...query].map(([name, value]) => [withoutInvisible(name), value] as const);
  const isPlain = ([name]: Parameter) => name === plainName(name);
  const damaged = given.filter((parameter) => !isPlain(parameter));
  return [...given.filter(isPlain), ...damaged.map(([name, value]) => [plainName(name), value] as const)];
}

/**
 * The first non-empty value. A code ends where editors and campaign tools append text: `anna?utm_source=mail`, `anna)`.
 */
const codeIn = (parameters: readonly Parameter[], wanted: string): string | null =>
  parameters
    .filter(([name]) => name === wanted)
    .map(([, value]) => codeForm.exec(withoutInvisible(value).trim())?.[0])
    .find((code) => code !== undefined) ?? null;

/** `aff` wins over `codeParam`. */
export function landingCode(query: URLSearchParams, codeParam: string | null): LandingCode {
  const parameters = parametersOf(query);
  const code = codeIn(parameters, "aff");
  const other = code === null && codeParam !== null ? codeIn(parameters, codeParam) : null;
  return other === null ? { code, codeParam: null } : { code: other, codeParam };
}

/** The lookup form of a code. Letters beyond ASCII stay: some have a lower case in ASCII, and no partner has them. */
export const codeKeyOf = (code: string): string => code.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
