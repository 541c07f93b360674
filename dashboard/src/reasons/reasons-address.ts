/** The query parameter `reasons`: the kind of number, and its parts. No part has a dot. */
export const reasonsOf = (kind: string, ...parts: readonly (string | number | undefined)[]): string =>
  [kind, ...parts].filter((part) => part !== undefined).join(".");
