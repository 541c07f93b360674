const special = /[*?[]/;

/**
 * Returns a GLOB pattern that matches texts containing `text`, ignoring case. LIKE isn't used, because in SQLite it
 * ignores the case of ASCII letters only.
 */
export const containing = (text: string): string => `*${Array.from(text, anyCase).join("")}*`;

function anyCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  const cases = new Set([letter, lower, upper, upper.toLowerCase()].filter((each) => Array.from(each).length === 1));
  return cases.size > 1 || special.test(letter) ? `[${[...cases].join("")}]` : letter;
}
