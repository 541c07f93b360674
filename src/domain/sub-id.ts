import { type Parameter, parametersOf, withoutInvisible } from "./landing.ts";

export const subIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** True for a valid `aff_sub` parameter, by which partners distinguish their links. */
export const isSubId = ([name, value]: Parameter): boolean =>
  name === "aff_sub" && subIdForm.test(withoutInvisible(value));

/** The first valid `aff_sub` of the query. */
export function subIdIn(query: URLSearchParams): string | null {
  const [, value] = parametersOf(query).find(isSubId) ?? [];
  return value === undefined ? null : withoutInvisible(value);
}
