import { describe, expect, test } from "vitest";
import { csvLine, readTable, type Table } from "../../importer/index.ts";

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};

function tableOf(file: string | Uint8Array): Table {
  const read = readTable(file);
  if (!read.ok) throw new Error(read.message);
  return read.table;
}

const text = "name,code\nZoë,zoe\n";
const zoe: Pick<Table, "headers" | "rows"> = { headers: ["name", "code"], rows: [{ line: 2, cells: ["Zoë", "zoe"] }] };

test.each([
  ["UTF-8", new TextEncoder().encode(text)],
  ["UTF-8 with a byte order mark", new TextEncoder().encode(`\uFEFF${text}`)],
  ["UTF-16, little end first", utf16(text, false)],
  ["UTF-16, big end first", utf16(text, true)],
  ["text", text],
  ["text with a byte order mark", `\uFEFF${text}`],
  ["text with two byte order marks", `\uFEFF\uFEFF${text}`],
  ["CRLF", text.replaceAll("\n", "\r\n")],
  ["CR", text.replaceAll("\n", "\r")],
  ["no line break at its end", text.trimEnd()],
  ["empty lines at its end", `${text}\n\n,\n`],
  ["semicolons", text.replaceAll(",", ";")],
  ["tabs", text.replaceAll(",", "\t")],
  ["quotes", '"name","code"\n"Zoë","zoe"\n'],
])("the importer reads a file with %s", (_, file) => {
  expect(tableOf(file)).toEqual({ ...zoe, delimiter: expect.any(String) });
});

test("the header line determines the delimiter, whatever the cells below it contain", () => {
  const { headers, rows } = tableOf("code;amount\na,b;1,50\nc,d;2,50\n");
  expect(headers).toEqual(["code", "amount"]);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["a,b", "1,50"],
    ["c,d", "2,50"],
  ]);
  expect(tableOf('"last, first",code\n"a;b;c",x\n').rows[0]?.cells).toEqual(["a;b;c", "x"]);
});

test.each(["\n", "\r\n", "\r"])(
  "each row has the number of the line on which the row begins, with the line ending %j",
  (ending) => {
    const lines = ["name,code", '"Anna', 'of ""two"" lines",anna', "", "Ben,ben", '"', '",x', "Cleo,cleo"];
    const { rows } = tableOf(lines.join(ending));
    expect(rows.map(({ line, cells }) => [line, cells[1]])).toEqual([
      [2, "anna"],
      [5, "ben"],
      [6, "x"],
      [8, "cleo"],
    ]);
    expect(rows[0]?.cells[0]).toBe('Anna\nof "two" lines');
  },
);

describe("the importer with a file that it can't read", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "The file is empty."],
    ["blank lines", "\n,\n \n", "The file is empty."],
    ["another encoding", Buffer.from("name,code\nJos\xe9,jose\n", "latin1"), "Line 2 isn't valid UTF-8. Save the file"],
    ["a workbook", Buffer.from("PK\x03\x04\0\0,\0"), "This is a workbook: save it as CSV (UTF-8)."],
    ["an old workbook", Buffer.from("\xD0\xCF\x11\xE0\xA1", "latin1"), "This is a workbook: save it as CSV (UTF-8)."],
    ["bytes", Buffer.from("name\0,code"), "This isn't a CSV file. Save the spreadsheet as CSV in UTF-8."],
    ["UTF-16 without a mark", Buffer.from("name,code", "utf16le"), "This isn't a CSV file."],
    ["an open quote", 'name,code\nAnna,anna\n"Ben,ben\nCleo,cleo', "A quote on line 3 is misplaced or not closed."],
    ["text after a quote", 'name,code\n"Anna" A,anna\n', "A quote on line 2 is misplaced or not closed."],
    ["too many cells", "name,code\nAnna,anna\nBen, Jr.,ben\n", "Line 3 has 3 cells, but the header has 2. Is a quote"],
  ])("the importer reports why it can't read a file: %s", (_, file, message) => {
    expect(readTable(file)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});

test("cells that begin like a formula are escaped in the importer's files, and read back unchanged", () => {
  const cells = ["=1+1", "+49 30", "-x", "@a", "\tx", " =x", 'a;=x\n"=y', "＝x", "plain", 'a "b"', ""];
  const line = csvLine(cells);
  expect(line).toContain(`"'=1+1","'+49 30","'-x","'@a","'\tx","' =x","a;'=x\n'""=y","'＝x","plain","a ""b""",""`);
  const headers = cells.map((_, i) => `h${i}`);
  expect(tableOf(csvLine(headers) + line).rows[0]?.cells).toEqual(cells);
});

test("numbers with a sign aren't escaped in the importer's files", () => {
  expect(csvLine(["-4.90", "+4,90", "-1.234,50", "-4.9x"])).toBe(`"-4.90","+4,90","-1.234,50","'-4.9x"\r\n`);
});
