export const subIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** A valid `aff_sub`, by which partners tell their links apart. */
export const isSubId = ([name, value]: readonly [name: string, value: string]): boolean =>
  name === "aff_sub" && subIdForm.test(value);

/** Of several valid ones the first. */
export const subIdIn = (query: URLSearchParams): string | null => [...query].find(isSubId)?.[1] ?? null;
