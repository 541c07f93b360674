const special = /[*?[]/;

/** A GLOB pattern for texts that contain this one in any case: SQLite's own comparisons fold only ASCII letters. */
export const containing = (text: string): string => `*${Array.from(text, anyCase).join("")}*`;

function anyCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  const cases = new Set([letter, lower, upper, upper.toLowerCase()].filter((each) => Array.from(each).length === 1));
  return cases.size > 1 || special.test(letter) ? `[${[...cases].join("")}]` : letter;
}
