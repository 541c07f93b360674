/**
 * Makes the value of the query parameter `reasons`: the kind of number and its parts, joined by dots. No part has a
 * dot.
 */
export const reasonsOf = (kind: string, ...parts: readonly (string | number | undefined)[]): string =>
  [kind, ...parts].filter((part) => part !== undefined).join(".");
