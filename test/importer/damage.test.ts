import { describe, expect, test } from "vitest";
import { detectPresets, findPreset, problemInWords, readTable } from "../../importer/index.ts";
import { prepare, problemsOf, tableOf } from "./files.ts";

const isRounded = (id: string) => {
  const { rows, problems } = prepare("customers", `customer_key;partner_code\n${id};anna\n`);
  expect(rows).toEqual([]);
  expect(problems).toMatchObject([{ line: 2, column: "customer_key", code: "rounded_id" }]);
};

describe("an id that a spreadsheet has rounded", { tags: "finding" }, () => {
  const customers = "customer_key,partner_code,subscription_id\n";

  test("an id that a spreadsheet has rounded is refused with its line and column", () => {
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
    "an id is recognized as rounded by a spreadsheet if the cell contains %s",
    isRounded,
  );

  test.each([
    "1.23457e+15",
    "1.23457E15",
    "1.234568e+12",
    "1٫23457E+15",
    "'1.23457E+15",
    "1.23457 E+15",
    "1·2E+15",
    "1e+15",
    "123.457E+12",
    "١٫٢٣٤٥٧E+١٥",
    "1.23457E−05",
  ])("a rounded id is also recognized in the unusual spelling %s", isRounded);

  test.each(["12345678901234500", "123456789012345000", "-12345678901234500000", "100000000000000000000"])(
    "the id %s is recognized as rounded by a spreadsheet, because it has 15 digits followed by zeros",
    isRounded,
  );

  test("ids that a spreadsheet has rounded are recognized if all 16-digit ids of a column end in 0, and there are at least three", () => {
    const keys = (...ids: string[]) => ids.map((id) => `${id};anna`).join("\n");
    const file = (...ids: string[]) => prepare("customers", `customer_key;partner_code\n${keys(...ids)}\n`);
    const rounded = file("1234567890123450", "1234567890123460", "12345", "1234567890123470");
    expect(rounded.problems.map(({ line, code }) => [line, code])).toEqual(
      [2, 3, 5].map((line) => [line, "rounded_id"]),
    );
    expect(rounded.rows).toHaveLength(1);
    expect(file("1234567890123450", "1234567890123460", "1234567890123471").problems).toEqual([]);
    expect(file("1234567890123450", "1234567890123460").problems).toEqual([]);
    expect(file("123456789012340", "123456789012350", "123456789012360").problems).toEqual([]);
  });

  test("a partner's code that a spreadsheet has rounded is refused in a file of partners and in a file of customers", () => {
    const codes = prepare("partners", 'name,code\nAnna,"anna;1.23457E+15"\nBen,"1,23457E+15"\nCy,12345678901234500\n');
    expect(codes.problems.map(({ line, column, code }) => [line, column, code])).toEqual(
      [2, 3, 4].map((line) => [line, "code", "rounded_id"]),
    );
    expect(prepare("customers", "customer_key,partner_code\nu1,1.23457e+15\n").problems).toMatchObject([
      { column: "partner_code", code: "rounded_id" },
    ]);
  });

  test.each([
    "1e10",
    "1e5",
    "12e34",
    "12345678901234567",
    "1234567890123450",
    "1E10",
    "12E+5",
    "A1.5E+3",
    "1.5E+3x",
    "E+15",
    "#1",
    "1.5",
  ])("an id that a spreadsheet has left unchanged isn't refused as rounded: %s", (id) => {
    const { rows } = prepare("customers", `customer_key;partner_code\n${id};anna\n`);
    expect(rows).toEqual([{ line: 2, customer_key: id, partner_code: "anna" }]);
  });

  test("an external id or a balance's reference that a spreadsheet has rounded is refused", () => {
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
  ['"=""a""""b""",anna\n', 'a"b'],
  ["'=A1,anna\n", "=A1"],
])(
  "the importer reads the text that a spreadsheet has wrapped in a formula or marked with an apostrophe: %j",
  { tags: "finding" },
  (line, key) => {
    expect(prepare("customers", `customer_key,partner_code\n${line}`).rows).toMatchObject([{ customer_key: key }]);
  },
);

test.each([
  ["sep=;\n", ";"],
  ["\uFEFFsep=;\r\n", ";"],
  ['"sep=,"\n', ","],
  ["SEP=\t\n", "\t"],
  ["sep=|\n", "|"],
])(
  "the importer takes the separator from Excel's line %j, and counts this line in line numbers",
  { tags: "finding" },
  (line, separator) => {
    const table = tableOf(
      `${line}${["name", "code"].join(separator)}\n${["Anna, B;C", "anna"].join(separator).replace(/[,;] ?(?=B|C)/g, " ")}\n`,
    );
    expect(table.headers).toEqual(["name", "code"]);
    expect(table.rows).toMatchObject([{ line: 3, cells: ["Anna B C", "anna"] }]);
  },
);

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

  test("the template for Rewardful's import is recognized as a file of partners and as a file of customers", () => {
    expect(detectPresets(template.headers).map(({ preset, kind }) => [preset.id, kind])).toEqual([
      ["rewardful", "partners"],
      ["rewardful", "customers"],
    ]);
  });

  test("the template for Rewardful's import is read as two partners and a duplicate row", () => {
    const { rows, problems, repeated } = prepare("partners", template, { file: rewardful?.files.partners });
    expect({ problems, repeated }).toEqual({ problems: [], repeated: [3] });
    expect(rows).toEqual([
      { line: 2, name: "Zoe Bar", code: "zoe30", email: "z30@partners.example" },
      { line: 4, name: "Yan Li", code: "yan30", email: "y30@partners.example" },
    ]);
  });

  test("the template for Rewardful's import is read as three customers", () => {
    const { rows, problems } = prepare("customers", template, { file: rewardful?.files.customers });
    expect(problems).toEqual([]);
    expect(rows.map(({ customer_key, partner_code }) => [customer_key, partner_code])).toEqual([
      ["cus_A1", "zoe30"],
      ["cus_A2", "zoe30"],
      ["cus_B1", "yan30"],
    ]);
  });
});

test("a duplicate row in a file of balances is refused as an error, because its money might be paid twice", () => {
  const row = "anna,EUR,1.50,inv 1\n";
  const { rows, problems } = prepare("balances", `partner_code,currency,amount,reference\n${row}${row}`);
  expect(rows).toHaveLength(1);
  expect(problems).toMatchObject([{ line: 3, code: "duplicate" }]);
});

describe("an id that a spreadsheet has formatted as a number", { tags: "finding" }, () => {
  test.each([
    "12345.0",
    "12345,00",
    "1,234,567,890",
    "1,234",
    "1.234.567",
    "1\u00A0234",
    "12\u202F345\u202F678",
    "1'234'567",
  ])("an id that a spreadsheet has formatted as a number is refused: %s", (id) => {
    const { problems } = prepare("customers", `customer_key;partner_code\n${id};anna\nu1;${id}\n`);
    const expected =
      "expected the id without decimals and separators: format the column as text, and save the file again";
    expect(problems.map(problemInWords)).toEqual([
      `line 2, customer_key: "${id}", ${expected}`,
      `line 3, partner_code: "${id}", ${expected}`,
    ]);
  });

  test.each(["1.5", "1.234", "12.345a", "0.123.456", "1,23", "123 456 789", "10.0.0.1", "1.01"])(
    "an id that a spreadsheet hasn't formatted as a number is accepted: %s",
    (id) => {
      expect(prepare("customers", `customer_key;partner_code\n${id};anna\n`).rows).toMatchObject([
        { customer_key: id },
      ]);
    },
  );
});

describe("an error value of a spreadsheet", { tags: "finding" }, () => {
  const errors =
    "#N/A #REF! #VALUE! #NAME? #DIV/0! #NULL! #NUM! #SPILL! #CALC! #ERROR! #GETTING_DATA #FIELD! #BLOCKED! #UNKNOWN! " +
    "#NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #N/D #NOME? #RIF! #VALORE! #¡REF! #¡VALOR! #¿NOMBRE? #¡DIV/0! #WAARDE! #VERW! " +
    "#NAAM? #GETAL! #DEEL/0! #N/B #NOM? #VALEUR! #ARG! #NAZWA? #Н/Д #ССЫЛКА! #ИМЯ? #SAKNAS! #I/T #YOK #BAŞV! Err:502 " +
    "Err:508 #n/a ####";
  const refused = "expected a value, not a spreadsheet's error: correct the cell, and save the file again";

  test.each(errors.split(" "))("an error value of a spreadsheet is recognized in %s, in each text column", (error) => {
    const partners = prepare("partners", `name;code;email\n${error};anna;\nBen;${error};\nCy;cy;${error}\n`);
    expect(partners.rows).toEqual([]);
    expect(partners.problems.map(({ line, column, read }) => [line, column, read])).toEqual([
      [2, "name", error],
      [3, "code", error],
      [4, "email", error],
    ]);
    const customers = `customer_key;partner_code;subscription_id\n${error};anna;\nu1;${error};\nu2;anna;${error}\n`;
    expect(prepare("customers", customers).problems.map(({ column }) => column)).toEqual([
      "customer_key",
      "partner_code",
      "subscription_id",
    ]);
    const balance = `partner_code;currency;amount;reference\nanna;EUR;1;${error}\n`;
    expect(prepare("balances", balance).problems.map(({ column }) => column)).toEqual(["reference"]);
  });

  test("an error value of a spreadsheet is reported, and the message says how to correct it", () => {
    expect(problemsOf(prepare("partners", 'name,code\n#NAME?,"anna;#REF!"\n'))).toEqual([
      `line 2, name: "#NAME?", ${refused}`,
      `line 2, code: "anna;#REF!", ${refused}`,
    ]);
    const rewardful = findPreset("rewardful");
    const affiliates = "first_name,last_name,email,token,id\nAnna,#N/A,a@partners.example,anna,#REF!\n";
    expect(problemsOf(prepare("partners", affiliates, { file: rewardful?.files.partners }))).toEqual([
      `line 2, name: "#N/A", ${refused}`,
      `line 2, code: "#REF!", ${refused}`,
      `line 2, external_id: "#REF!", ${refused}`,
    ]);
  });

  test.each(["#1", "#winning!", "#TEAM", "Err:5", "N/A", "#anna", "C#", "user:502"])(
    "a text that only looks similar to an error value of a spreadsheet is accepted: %s",
    (name) => {
      expect(prepare("partners", `name,code\n${name},anna\n`).rows).toMatchObject([{ name }]);
    },
  );
});

test.each(["=A1", '"=HYPERLINK(""x"",""y"")"', " =1+2", "=TRUE()"])(
  "the formula %j is refused as a value",
  { tags: "finding" },
  (cell) => {
    const { problems, rows } = prepare("partners", `name,code,status\n${cell},anna,\nBen,${cell},\nCy,cy,${cell}\n`);
    expect(rows).toEqual([]);
    expect(problems.map(({ line, column, expected }) => [line, column, expected])).toEqual(
      ["name", "code", "status"].map((column, i) => [
        i + 2,
        column,
        "a value, not a formula: save the file with the formulas' results",
      ]),
    );
  },
);

test("a column may have formulas if it isn't imported", { tags: "finding" }, () => {
  const table = tableOf("note,name,refused_line,code\n=A1,Anna,=A2,anna\n");
  expect(prepare("partners", table).rows).toEqual([{ line: 2, name: "Anna", code: "anna" }]);
});

test("a Unicode replacement character is refused in ids and names", { tags: "finding" }, () => {
  const expected = "expected text without �, which stands for a lost character: save the original file as CSV in UTF-8";
  expect(problemsOf(prepare("partners", "name,code,external_id\nJos\uFFFD,jose,u\uFFFD1\n"))).toEqual([
    `line 2, name: "Jos\uFFFD", ${expected}`,
    `line 2, external_id: "u\uFFFD1", ${expected}`,
  ]);
});

describe("invisible characters", { tags: "finding" }, () => {
  const invisible = [
    "\u200B",
    "\u200E",
    "\u200F",
    "\u2060",
    "\uFEFF",
    "\u202A",
    "\u202E",
    "\u2066",
    "\u2069",
    "\u00A0",
  ];

  test.each(invisible)("invisible characters are removed from cells, headers and codes: %j", (character) => {
    const around = (text: string) => `${character} ${text}${character}`;
    const file = `${around("name")};${around("code")};${around("email")}\n${around("Anna")};${around("anna")},${around("a2")};${character}\n`;
    expect(prepare("partners", file).rows).toEqual([{ line: 2, name: "Anna", code: "anna;a2" }]);
    expect(tableOf(`${file}${character};;${character}\n`).rows).toHaveLength(1);
    const filtered = `id,affiliate_id,amount,currency,state\nc1,anna,980,EUR,${around("Due")}\n`;
    expect(prepare("balances", filtered, { file: findPreset("rewardful")?.files.balances }).rows).toHaveLength(1);
  });

  test("invisible characters are kept between other characters of a text", () => {
    expect(prepare("partners", "name,code\n👩\u200D💻 A,anna\n").rows).toMatchObject([{ name: "👩\u200D💻 A" }]);
  });
});

test("a text of digits that a spreadsheet has marked with an apostrophe is read without the apostrophe", {
  tags: "finding",
}, () => {
  const file = "customer_key,partner_code,subscription_id\n'00042,'77,'4x\n";
  expect(prepare("customers", file).rows).toMatchObject([
    { customer_key: "00042", partner_code: "77", subscription_id: "'4x" },
  ]);
  expect(prepare("partners", "name,code\nAnna,'042;'x1\n").rows).toMatchObject([{ code: "042;'x1" }]);
});

describe("a title line above the header", { tags: "finding" }, () => {
  test.each([
    "Partners 2026\nname,code\nAnna,anna\n",
    "Partners 2026;;\n\nname;code\n",
    '"Partners 2026"\nname\tcode\n',
  ])("a title line above the header is refused: %j", (file) => {
    expect(readTable(file)).toEqual({
      ok: false,
      message: 'Line 1 looks like a title: "Partners 2026". The header must be the first line.',
    });
  });

  test("a header with one column isn't taken for a title line above the header", () => {
    expect(tableOf('name\n"Li, Anna"\n').headers).toEqual(["name"]);
  });
});
