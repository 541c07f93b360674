import { describe, expect, test } from "vitest";
import { detectPresets, findPreset } from "../../importer/index.ts";
import { prepare, problemsOf, tableOf } from "./files.ts";

describe("an id that a spreadsheet has rounded", { tags: "finding" }, () => {
  const customers = "customer_key,partner_code,subscription_id\n";

  test("is refused with its line and column", () => {
    const prepared = prepare(
      "customers",
      `${customers}1.23457E+15,anna,\n1234567890123456,anna,\ncus_9,anna,1.23457E+15\n`,
    );
    const expected = "expected the whole id: format the column as text, and save the file again";
    expect(problemsOf(prepared)).toEqual([
      `line 2, customer_key: "1.23457E+15", ${expected}`,
      `line 4, subscription_id: "1.23457E+15", ${expected}`,
    ]);
    expect(prepared.problems.map(({ code }) => code)).toEqual(["rounded_id", "rounded_id"]);
    expect(prepared.rows).toEqual([{ line: 3, customer_key: "1234567890123456", partner_code: "anna" }]);
  });

  test.each(["1,23457E+15", "1E+15", "1.2E+4", "1.23456789012346E+015", "9.87E-05", "-1.5E+20", "########", "##"])(
    "is %s",
    (id) => {
      expect(prepare("customers", `customer_key;partner_code\n${id};anna\n`).rows).toEqual([]);
    },
  );

  test.each(["1e10", "1E10", "12E+5", "A1.5E+3", "1.5E+3x", "E+15", "#1", "1.5"])("isn't %s", (id) => {
    const { rows } = prepare("customers", `customer_key;partner_code\n${id};anna\n`);
    expect(rows).toEqual([{ line: 2, customer_key: id, partner_code: "anna" }]);
  });

  test("is refused as an external id and as a reference", () => {
    const partners = prepare("partners", "name,code,external_id\nAnna,anna,1.23457E+15\n");
    const balances = prepare(
      "balances",
      "partner_code,currency,amount,reference\nanna,EUR,1.50,1.23457E+15\nanna,EUR,1.50,inv 1\n",
    );
    expect([...partners.problems, ...balances.problems].map(({ line, column }) => [line, column])).toEqual([
      [2, "external_id"],
      [2, "reference"],
    ]);
    expect(balances.rows).toHaveLength(1);
  });
});

test.each([
  ['="00042",anna\n', "00042"],
  ['"=""00042""",anna\n', "00042"],
  ['"=""a b""",anna\n', "a b"],
  [`"'=""00042""",anna\n`, '="00042"'],
  ['"=A1",anna\n', "=A1"],
])("reads the wrapped text of %j", { tags: "finding" }, (line, key) => {
  expect(prepare("customers", `customer_key,partner_code\n${line}`).rows).toMatchObject([{ customer_key: key }]);
});

test.each([
  ["sep=;\n", ";"],
  ["\uFEFFsep=;\r\n", ";"],
  ['"sep=,"\n', ","],
  ["SEP=\t\n", "\t"],
  ["sep=|\n", "|"],
])("takes the separator of Excel's line %j, and counts the line", { tags: "finding" }, (line, separator) => {
  const table = tableOf(
    `${line}${["name", "code"].join(separator)}\n${["Anna, B;C", "anna"].join(separator).replace(/[,;] ?(?=B|C)/g, " ")}\n`,
  );
  expect(table.headers).toEqual(["name", "code"]);
  expect(table.rows).toMatchObject([{ line: 3, cells: ["Anna B C", "anna"] }]);
});

describe("the template of Rewardful's own import", { tags: "finding" }, () => {
  const template = tableOf(
    [
      "stripe_customer_id,first_name,last_name,email,paypal_email,wise_email,token",
      "cus_A1,Zoe,Bar,z30@partners.example,zpay@partners.example,,zoe30",
      "cus_A2,Zoe,Bar,z30@partners.example,zpay@partners.example,,zoe30",
      "cus_B1,Yan,Li,y30@partners.example,,y-wise@partners.example,yan30",
    ].join("\n"),
  );
  const rewardful = findPreset("rewardful");

  test("is found as a file of partners and as one of customers", () => {
    expect(detectPresets(template.headers).map(({ preset, kind }) => [preset.id, kind])).toEqual([
      ["rewardful", "partners"],
      ["rewardful", "customers"],
    ]);
  });

  test("has two partners, and a row that says the same again", () => {
    const { rows, problems, repeated } = prepare("partners", template, { file: rewardful?.files.partners });
    expect({ problems, repeated }).toEqual({ problems: [], repeated: [3] });
    expect(rows).toEqual([
      { line: 2, name: "Zoe Bar", code: "zoe30", email: "z30@partners.example" },
      { line: 4, name: "Yan Li", code: "yan30", email: "y30@partners.example" },
    ]);
  });

  test("has three customers", () => {
    const { rows, problems } = prepare("customers", template, { file: rewardful?.files.customers });
    expect(problems).toEqual([]);
    expect(rows.map(({ customer_key, partner_code }) => [customer_key, partner_code])).toEqual([
      ["cus_A1", "zoe30"],
      ["cus_A2", "zoe30"],
      ["cus_B1", "yan30"],
    ]);
  });
});

test("a repeated row of balances is a problem, because it is about money", () => {
  const row = "anna,EUR,1.50,inv 1\n";
  const { rows, problems } = prepare("balances", `partner_code,currency,amount,reference\n${row}${row}`);
  expect(rows).toHaveLength(1);
  expect(problems).toMatchObject([{ line: 3, code: "duplicate" }]);
});
