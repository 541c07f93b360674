/** White space, and characters that have no width or only set the direction of text. */
const outer = /[\s\u061C\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/;

/** Without what surrounds the text and can't be seen. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && outer.test(text.charAt(from))) from += 1;
  while (to > from && outer.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
