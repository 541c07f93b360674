/**
 * Changes the names in a JSON text to camelCase. In JSON, a word before a quote and a colon is part of a name, because
 * quotes within strings are escaped.
 */
export const inCamelCase = (json: string): string =>
  json.replace(/_(\w)(?=\w{0,99}"\s*:)/g, (_, next: string) => next.toUpperCase());
