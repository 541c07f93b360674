/** Letters and digits of any script: they are no code, but `zoë` isn't `zo`. Bytes that aren't UTF-8, or were encoded twice, may be one. */
const codeForm = /^(?:[\p{L}\p{M}\p{N}_\uFFFD-]|%[89A-Fa-f][\dA-Fa-f])+/u;

export type Parameter = readonly [name: string, value: string];

export interface LandingCode {
  /** As it is written in the address. */
  readonly code: string | null;
  /** The query parameter that holds it. Null: `aff`. */
  readonly codeParam: string | null;
}

export const withoutInvisible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");

/** Mails that escape `&` once too often leave `amp;` in front of a name. */
const plainName = (name: string): string => name.toLowerCase().replace(/^(?:amp;)+/, "");

/** A landing's parameters by their plain names: first those that are spelled so, then those that a tool has damaged. */
export function parametersOf(query: URLSearchParams): readonly Parameter[] {
  const given = [...query].map(([name, value]) => [withoutInvisible(name), value] as const);
  const isPlain = ([name]: Parameter) => name === plainName(name);
  const damaged = given.filter((parameter) => !isPlain(parameter));
  return [...given.filter(isPlain), ...damaged.map(([name, value]) => [plainName(name), value] as const)];
}

/** The first that isn't empty. A code ends before what editors and campaign tools append: `anna?utm_source=mail`, `anna)`. */
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

/** A code as it is looked up. Letters beyond ASCII stay: the small form of some is in ASCII, and no partner has them. */
export const codeKeyOf = (code: string): string => code.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
