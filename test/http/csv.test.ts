import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine } from "#http/csv.ts";

/**
 * Parses like a spreadsheet: quotes count only at a cell's beginning, and text after the closing quote belongs to the
 * cell.
 */
function parse(text: string, separator: string): string[] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)")?([^${separator}\\r\\n]*)(?:[${separator}\\n]|\\r\\n?)`, "gy");
  return [...text.matchAll(cell)].map(([, quoted = "", plain]) => quoted.replaceAll('""', '"') + plain);
}

const pieces = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", ";", ",", '"', "'", " ", "a", "1"];
const texts = fc.array(fc.string({ unit: fc.constantFrom(...pieces), maxLength: 8 }), { minLength: 1, maxLength: 4 });

describe("a CSV line", () => {
  test.each([
    ["a", '"a"'],
    ["", '""'],
    ['with "quotes", and commas', '"with ""quotes"", and commas"'],
    ["two\r\nlines; and more", '"two\r\nlines; and more"'],
    ["a-b=c+d@e", '"a-b=c+d@e"'],
    ["=1+1", `"'=1+1"`],
    ["-5", `"'-5"`],
    ["+1", `"'+1"`],
    ["@sum(a1)", `"'@sum(a1)"`],
    ["＝1", `"'＝1"`],
    ["＋1", `"'＋1"`],
    ["－1", `"'－1"`],
    ["＠sum(a1)", `"'＠sum(a1)"`],
    ["\t1", `"'\t1"`],
    ["\r1", `"'\r1"`],
    ["x;=1+1", `"x;'=1+1"`],
    [";;-1;＠a", `";;'-1;'＠a"`],
    ['x;"=1+1', `"x;'""=1+1"`],
    ["x; =1", `"x;' =1"`],
    ["two\n=lines", `"two\n'=lines"`],
  ])("a CSV line quotes every cell and escapes formulas: %j", (text, expected) => {
    expect(csvLine([text, "x"])).toBe(`${expected},"x"\r\n`);
  });

  test("a CSV line contains numbers without an added apostrophe, even if they are negative", () => {
    expect(csvLine([-5, "-5", true, null])).toBe(`"-5","'-5","true",""\r\n`);
  });

  test.each([",", ";", "\t"])(
    "a CSV line contains no cell that begins like a formula, even if a program splits the line at %j",
    (separator) => {
      fc.assert(
        fc.property(texts, (texts) => {
          const cells = parse(csvLine(texts), separator);
          expect(cells.length).toBeGreaterThan(0);
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r]/);
        }),
      );
    },
  );

  test("a CSV line contains texts unchanged except for added apostrophes", () => {
    const bare = (text: string) => text.replaceAll("'", "");
    fc.assert(
      fc.property(texts, (texts) => {
        expect(parse(csvLine(texts), ",").map(bare)).toEqual(texts.map(bare));
      }),
    );
  });
});
