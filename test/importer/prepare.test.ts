import { describe, expect, test } from "vitest";
import { importKinds as servedKinds } from "#domain/import.ts";
import {
  csvLine,
  importKinds,
  mapHeaders,
  presets,
  problemCodes,
  problemInWords,
  refusedFile,
} from "../../importer/index.ts";
import { prepare, problemsOf, tableOf } from "./files.ts";

test("the importer has the same kinds of imports as the service", () => {
  expect(importKinds).toEqual(servedKinds);
});

describe("headers of an import file", () => {
  test("headers of an import file match column names regardless of case, spaces and underscores, and columns with other headers are ignored", () => {
    const { rows } = prepare("customers", "Customer Key,PARTNER-CODE,Notes\nu1,anna,x\n");
    expect(rows).toEqual([{ line: 2, customer_key: "u1", partner_code: "anna" }]);
  });

  test("headers of an import file can be assigned to columns by the user", () => {
    const given = { customer_key: "User ID", partner_code: "code" };
    const { rows } = prepare("customers", "User ID,customer_key,Code\nu1,other,anna\n", { given });
    expect(rows).toEqual([{ line: 2, customer_key: "u1", partner_code: "anna" }]);
  });

  test("headers of an import file that the user assigns to columns take precedence over those of a preset", () => {
    const dub = presets.find(({ id }) => id === "dub");
    const file = "External ID,Link,First sale at,Stripe ID\nu1,https://x.example/anna,,cus_1\n";
    const { rows } = prepare("customers", file, { file: dub?.files.customers, given: { customer_key: "stripe id" } });
    expect(rows).toEqual([{ line: 2, customer_key: "cus_1", partner_code: "anna" }]);
  });

  test.each([
    [{}, "code,e-mail\na,b\n", "The file has no column for name. Its columns are: code, e-mail."],
    [{ customer_key: "x" }, "name,code\na,b\n", "There is no column customer_key. Columns: name, code, email,"],
    [{ name: "Full name" }, "name,code\na,b\n", 'The file has no column "Full name". Its columns are: name, code.'],
  ])("a missing or unknown column of an import file is reported: %j", (given, file, message) => {
    expect(() => prepare("partners", file, { given })).toThrow(message);
  });
});

describe("the cells of an import file", () => {
  test("the cells of an import file are read for an import of partners", () => {
    const file = 'name,code,email,status\n Anna ,"anna, anna-blog;x",a@b.example,Active\nBen,ben,,\n';
    expect(prepare("partners", file).rows).toEqual([
      { line: 2, name: "Anna", code: "anna;anna-blog;x", email: "a@b.example", status: "active" },
      { line: 3, name: "Ben", code: "ben" },
    ]);
  });

  test("cells are read without outer white space, also in keys", { tags: ["finding"] }, () => {
    const file = 'customer_key,partner_code,subscription_id\n" user-2\u00a0",anna,\tsub_9 \n';
    expect(prepare("customers", file).rows).toEqual([
      { line: 2, customer_key: "user-2", partner_code: "anna", subscription_id: "sub_9" },
    ]);
  });

  test("cells that contain a placeholder such as undefined instead of an id are reported with line and column", {
    tags: ["finding"],
  }, () => {
    const customers =
      "customer_key,partner_code,subscription_id\nundefined,anna,\nu1,anna,[object Object]\nnone,anna,\n";
    expect(problemsOf(prepare("customers", customers))).toEqual([
      'line 2, customer_key: "undefined", expected an id, not what stands for a missing one',
      'line 3, subscription_id: "[object Object]", expected an id, not what stands for a missing one',
    ]);
    expect(problemsOf(prepare("partners", "name,code,external_id\nNone,none,None\n"))).toHaveLength(1);
    const balances = "partner_code,currency,amount,reference\nanna,EUR,1.00,null\n";
    expect(problemsOf(prepare("balances", balances))).toHaveLength(1);
  });

  test.each([
    ["true", true],
    ["Yes", true],
    ["1", true],
    ["FALSE", false],
    ["no", false],
    ["0", false],
    ["", undefined],
  ])("a cell pay_past with the text %j is read as %j", (text, expected) => {
    const { rows } = prepare("customers", `customer_key,partner_code,since,pay_past\nu1,anna,2026-03-01,${text}\n`);
    expect(rows[0]?.pay_past).toBe(expected);
  });

  test("a customer's earlier sales earn if the import requests it and the row has `since` and no pay_past", () => {
    const file = "customer_key,partner_code,since,pay_past\nu1,a,2026-03-01,\nu2,a,,\nu3,a,2026-03-01,no\n";
    const { rows } = prepare("customers", file, { paysPast: true });
    expect(rows.map(({ pay_past }) => pay_past)).toEqual([true, undefined, false]);
  });

  test("dates with slashes in the cells of an import file are read in the day and month order of their column", () => {
    const file = "customer_key,partner_code,since,first_sale_at\nu1,a,3/1/2026,1/2/2026\nu2,a,25/1/2026,1/25/2026\n";
    expect(prepare("customers", file).rows.map(({ since, first_sale_at: first }) => [since, first])).toEqual([
      ["2026-01-03", "2026-01-02"],
      ["2026-01-25", "2026-01-25"],
    ]);
  });

  test("amounts with decimal commas in the cells of an import file are read as decimal amounts", () => {
    const file = "partner_code;currency;amount;reference\nanna;eur;1.234,50;r1\nben;EUR;-4,9;r2\nben;JPY;1.200;r3\n";
    const { rows, totals } = prepare("balances", file);
    expect(rows.map(({ amount, currency }) => `${amount} ${currency}`)).toEqual([
      "1234.50 EUR",
      "-4.9 EUR",
      "1200 JPY",
    ]);
    expect(totals).toEqual([
      { currency: "EUR", rows: 2, cents: 122_960, amount: "1229.60" },
      { currency: "JPY", rows: 1, cents: 1_200, amount: "1200" },
    ]);
  });
});

describe("problems in an import file", () => {
  const customers = (cells: string) => `customer_key,partner_code,since,pay_past\n${cells}\n`;
  const balances = (cells: string) => `partner_code,currency,amount,reference\n${cells}\n`;
  test.each([
    ["partners", "name,code\n,anna\n", "line 2, name: nothing, expected a value"],
    ["partners", `name,code\n${"x".repeat(2_049)},anna\n`, "expected at most 2048 characters"],
    [
      "customers",
      customers("u1,anna,March,"),
      'line 2, since: "March", expected a date such as 2026-03-01, 2026-03-01 12:30, 01.03.2026 or 3/1/2026',
    ],
    [
      "customers",
      customers("u1,anna,3/1/2026,"),
      'line 2, since: "3/1/2026", expected an order of day and month, because the column doesn\'t tell which comes first',
    ],
    ["customers", customers("u1,anna,,maybe"), 'line 2, pay_past: "maybe", expected one of true, yes, 1, false, no, 0'],
    [
      "balances",
      balances("anna,EUR,1.234,r1"),
      'line 2, amount: "1.234", expected an amount that is clear: 1234.00 or 1.23, or the decimal sign of the file',
    ],
    ["balances", balances("anna,EUR,ten,r1"), 'line 2, amount: "ten", expected a number such as 1234.50 or 1.234,50'],
    ["balances", balances("anna,EUR,1.2345,r1"), 'line 2, amount: "1.2345", expected at most 2 decimals for EUR'],
    [
      "balances",
      balances("anna,JPY,1.5,r1"),
      'line 2, amount: "1.5", expected a whole number, because JPY has no smaller unit',
    ],
    ["balances", balances("anna,Euro,1.50,r1"), 'line 2, currency: "Euro", expected a currency code such as EUR'],
  ] as const)("problems in an import file are reported for the cells of %s: %j", (kind, file, message) => {
    const prepared = prepare(kind, file);
    expect(problemsOf(prepared)).toEqual([expect.stringContaining(message)]);
    expect(prepared.rows).toEqual([]);
  });

  test("problems in a file that is read with a preset are reported for the preset's columns", () => {
    const preset = presets.find(({ id }) => id === "rewardful");
    const link = prepare("partners", "name,link,state\nAnna,https://shop.example/,active\nBen,ben,odd\n", {
      file: preset?.files.partners,
    });
    expect(problemsOf(link)).toEqual([
      'line 2, code: "https://shop.example/", expected a code, or the address of a partner\'s link',
      'line 3, status: "odd", expected one of active, disabled, suspicious',
    ]);
    const cents = prepare("balances", "id,affiliate_id,amount,currency,state\n1,a,9.80,EUR,due\n", {
      file: preset?.files.balances,
    });
    expect(problemsOf(cents)).toEqual([
      'line 2, amount: "9.80", expected a whole number of the currency\'s smallest unit, such as 1250 for 12.50',
    ]);
  });

  test("an import file with ambiguous dates or amounts is reported as needing the date order or the decimal sign", () => {
    expect(prepare("customers", customers("u1,anna,3/1/2026,")).asks).toEqual(["dateOrder"]);
    expect(prepare("balances", balances("anna,EUR,1.234,r1")).asks).toEqual(["decimalSign"]);
    expect(prepare("customers", customers("u1,anna,3/1/2026,"), { dateOrder: "mdy" })).toMatchObject({
      asks: [],
      rows: [{ since: "2026-03-01" }],
    });
    expect(prepare("balances", balances("anna,EUR,1.234,r1"), { decimalSign: "comma" })).toMatchObject({
      asks: [],
      totals: [{ amount: "1234.00" }],
    });
  });

  test("problems in an import file include duplicate rows with the lines of both, and the first row is kept", () => {
    const partners = prepare("partners", "name,code\nAnna,anna;a2\nBen,ben;ANNA\nCleo,ben\n");
    expect(problemsOf(partners)).toEqual([
      'line 3, code: "ANNA" is already on line 2',
      'line 4, code: "ben" is already on line 3',
    ]);
    expect(partners.rows).toHaveLength(1);
    expect(problemsOf(prepare("customers", customers("u1,anna,,\nU1,anna,,\nu1,ben,,")))).toEqual([
      'line 4, customer_key: "u1" is already on line 2',
    ]);
    expect(problemsOf(prepare("balances", balances("a,EUR,1,r\nA,EUR,2,r\na,USD,1,r\na,EUR,1,r2")))).toEqual([
      'line 3, reference: "A EUR r" is already on line 2',
    ]);
  });

  test("each problem in an import file has a documented code, and its row isn't sent", () => {
    const { problems, rows } = prepare("balances", balances("a,EUR,1.234,\nb,EUR,1,r\nb,EUR,1,r"));
    for (const { code, line } of problems) {
      expect(problemCodes).toContain(code);
      expect(rows.map((row) => row.line)).not.toContain(line);
    }
    expect(problems.map(({ line }) => line)).toEqual([2, 2, 4]);
  });
});

test("refused rows are saved unchanged with the reason, and can be imported again", () => {
  const file = "partner_code;currency;amount;reference\n'=anna;EUR;-4,90;r1\nben;EUR;1.234;r2\ncleo;EUR;1;r3\n";
  const table = tableOf(file);
  const { problems } = prepare("balances", table);
  const saved = refusedFile(table, problems, [{ line: 2, code: "unknown_partner", field: "partner_code" }]);
  const lines = [
    ["partner_code", "currency", "amount", "reference", "refused_line", "refused_reason", "refused_field"],
    ["=anna", "EUR", "-4,90", "r1", "2", "unknown_partner", "partner_code"],
    ["ben", "EUR", "1.234", "r2", "3", "ambiguous_amount", "amount"],
  ];
  expect(saved).toBe(`\uFEFF${lines.map((cells) => csvLine(cells, ";")).join("")}`);
  expect(saved).toContain(`"'=anna"`);
  const again = tableOf(saved);
  expect(prepare("balances", again, { decimalSign: "comma" }).rows).toEqual([
    { line: 2, partner_code: "=anna", currency: "EUR", amount: "-4.90", reference: "r1" },
    { line: 3, partner_code: "ben", currency: "EUR", amount: "1234", reference: "r2" },
  ]);
  const twice = refusedFile(again, [], [{ line: 3, code: "differs", field: "" }]);
  const linesAgain = [lines[0] ?? [], ["ben", "EUR", "1.234", "r2", "3", "differs", ""]];
  expect(twice).toBe(`\uFEFF${linesAgain.map((cells) => csvLine(cells, ";")).join("")}`);
});

test("a file of refused rows is imported without the added columns, at any position", { tags: ["finding"] }, () => {
  const file = "Refused Line,name,refused_field,partner,REFUSED_REASON\n9,Anna,code,anna,differs\n";
  const table = tableOf(file);
  expect(table.headers).toEqual(["name", "partner"]);
  expect(prepare("partners", table, { given: { code: "partner" } }).rows).toEqual([
    { line: 2, name: "Anna", code: "anna" },
  ]);
  const again = tableOf(refusedFile(table, [], [{ line: 2, code: "differs", field: "name" }]));
  expect(again).toEqual(table);
  expect(mapHeaders("partners", table.headers, { given: { code: "partner" } })).toMatchObject({
    mapping: { unused: [] },
  });
});

describe("a file of refused rows", { tags: ["finding"] }, () => {
  test.each([
    [";", ";"],
    ["\t", "\t"],
    ["|", ","],
  ])("a file of refused rows keeps the file's separator: for %j, %j between its cells", (separator, expected) => {
    const table = tableOf(`sep=${separator}\n${["name", "code"].join(separator)}\n${["Anna", "a"].join(separator)}\n`);
    const saved = refusedFile(table, [], [{ line: 3, code: "differs", field: "" }]);
    expect(saved.split("\r\n")[1]).toBe(['"Anna"', '"a"', '"3"', '"differs"', '""'].join(expected));
    expect(tableOf(saved).rows).toEqual([{ line: 2, cells: ["Anna", "a"] }]);
  });

  test("a file of refused rows keeps digits that are marked as text", () => {
    const table = tableOf("customer_key,partner_code\n'00042,x\n");
    expect(refusedFile(table, [], [{ line: 2, code: "unknown_partner", field: "" }])).toContain(`"'00042","x"`);
  });
});

describe("two rows with the same id, which the service finds only within one call", { tags: ["finding"] }, () => {
  const others = (count: number, row: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => row(i)).join("\n");

  test("two rows with the same external id are duplicates", () => {
    const many = others(150, (i) => `P${i},code${i},x${i}`);
    const { problems, rows } = prepare("partners", `name,code,external_id\nAnn,a1,u7\n${many}\nBob,b1,u7\n`);
    expect(problems.map(problemInWords)).toEqual(['line 153, external_id: "u7" is already on line 2']);
    expect(problems).toMatchObject([{ code: "duplicate" }]);
    expect(rows).toHaveLength(151);
  });

  test("two rows with the same subscription are duplicates", () => {
    const many = others(150, (i) => `c${i},ann,s${i}`);
    const file = `customer_key,partner_code,subscription_id\nu1,ann,sub_7\n${many}\nu2,ann,sub_7\n`;
    expect(problemsOf(prepare("customers", file))).toEqual(['line 153, subscription_id: "sub_7" is already on line 2']);
  });

  test("two rows are duplicates only if they have the same value in the same column, like in the service", () => {
    const partners = "name,code,external_id\nAnn,a1,u7\nBob,b1,U7\nCy,u7,a1\nDee,d1,\nEd,e1,\nFay,A1,f1\n";
    expect(problemsOf(prepare("partners", partners))).toEqual(['line 7, code: "A1" is already on line 2']);
    const customers = "customer_key,partner_code,subscription_id\nu1,ann,u2\nu2,ann,u1\nu3,ann,\nu4,ann,\n";
    expect(prepare("customers", customers).problems).toEqual([]);
  });
});

test("a duplicate row is reported if the first row has a problem, and not left out without a message", {
  tags: ["finding"],
}, () => {
  const { problems, repeated } = prepare("partners", "name,code,external_id\nAnn,ann,#N/A\nAnn,ann,\n");
  expect(problems.map(({ line, code }) => [line, code])).toEqual([
    [2, "invalid_value"],
    [3, "duplicate"],
  ]);
  expect(repeated).toEqual([]);
});

describe("two columns with the same name", { tags: ["finding"] }, () => {
  const named = (first: string, second: string) =>
    `Several columns of the file have one name: ${first}, ${second}. Rename or delete all but one.`;

  test.each([
    ["partner_code,currency,amount,Amount,reference", named('"amount" (column 3)', '"Amount" (column 4)')],
    ["partner_code,currency,amount,amount,reference", named('"amount" (column 3)', '"amount" (column 4)')],
    ["reference,partner_code,currency,amount,x,REFERENCE", named('"reference" (column 1)', '"REFERENCE" (column 6)')],
    [
      "partner_code,Partner Code,currency,amount,reference",
      named('"partner_code" (column 1)', '"Partner Code" (column 2)'),
    ],
  ])("two columns with the same name are refused for %s", (headers, message) => {
    expect(() => prepare("balances", `${headers}\n`)).toThrow(message);
  });

  test("two columns with the same name are refused if a preset reads the column or filters rows by it", () => {
    const file = presets.find(({ id }) => id === "rewardful")?.files.balances;
    expect(() => prepare("balances", "id,affiliate_id,amount,currency,state,State\n", { file })).toThrow(
      named('"state" (column 5)', '"State" (column 6)'),
    );
  });

  test("two columns with the same name are accepted if no column is read by this name, or if the user chose one of them by its exact name", () => {
    expect(prepare("customers", "customer_key,partner_code,Note,note\nu1,anna,,\n").rows).toHaveLength(1);
    const given = { customer_key: "Key", partner_code: "partner_code" };
    expect(prepare("customers", "Key,key,partner_code\nu1,u2,anna\n", { given }).rows).toMatchObject([
      { customer_key: "u1" },
    ]);
    expect(prepare("partners", "Code,code,x\nAnna,anna,\n", { given: { name: "Code" } }).rows).toMatchObject([
      { name: "Anna", code: "anna" },
    ]);
  });
});

test("a header line that is repeated below the header is reported as a problem of its line", {
  tags: ["finding"],
}, () => {
  const { problems, rows } = prepare("partners", "name,code,\nAnna,anna,\n name ,code\nBen,ben,\n");
  expect(problems.map(problemInWords)).toEqual(['line 3, name: "name", expected a row, not the header again']);
  expect(rows).toHaveLength(2);
  const file = presets.find(({ id }) => id === "rewardful")?.files.balances;
  const header = "id,affiliate_id,amount,currency,state";
  expect(prepare("balances", `${header}\n1,a,980,EUR,due\n${header}\n`, { file })).toMatchObject({
    rows: [{ line: 2 }],
    problems: [{ line: 3, code: "invalid_value" }],
    leftOut: [],
  });
});
