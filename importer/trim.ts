/** White space, and invisible characters: those without a width, and those that only set the direction of text. */
const outer = /[\s\u061C\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/;

/** A text without invisible characters at its ends. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && outer.test(text.charAt(from))) from += 1;
  while (to > from && outer.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
