import { expect, test } from "vitest";
import { parsePartnerList } from "../../dashboard/src/forms/partner-list.ts";

const of = (text: string) => parsePartnerList(text).map(({ line, name, code, email }) => [line, name, code, email]);

test.each([
  ["commas", "Anna, anna, a@b.example\nBea,bea"],
  ["semicolons and carriage returns", "Anna;anna;a@b.example\r\nBea;bea;\r\n"],
  ["tabs, as a spreadsheet copies cells", "Anna\tanna\ta@b.example\nBea\tbea\t"],
  ["quotes", '"Anna","anna","a@b.example"\n"Bea","bea"'],
])("the parser of pasted partner lists reads a list with %s", (_, text) => {
  expect(of(text)).toEqual([
    [1, "Anna", "anna", "a@b.example"],
    [2, "Bea", "bea", ""],
  ]);
});

test("the parser of pasted partner lists skips a header and empty lines, and keeps line numbers", () => {
  expect(of("Name;Code;Email\n\nAnna;anna\n \nBea;bea")).toEqual([
    [3, "Anna", "anna", ""],
    [5, "Bea", "bea", ""],
  ]);
});

test("a name in a pasted partner list may contain a comma if tabs separate the cells", () => {
  expect(of("Anna, Ltd.\tanna\t\nBea, Inc.\tbea\t")).toEqual([
    [1, "Anna, Ltd.", "anna", ""],
    [2, "Bea, Inc.", "bea", ""],
  ]);
});

test("a name in quotes in a pasted partner list may contain commas and quotes, also after a space", () => {
  expect(of('"Quo""ted, Inc.", quote1, quote@p.example\nBea, "bea", "b@b.example"\n, "x, y" ,')).toEqual([
    [1, 'Quo"ted, Inc.', "quote1", "quote@p.example"],
    [2, "Bea", "bea", "b@b.example"],
    [3, "", "x, y", ""],
  ]);
});

test("the parser of pasted partner lists returns no lines for an empty list", () => {
  expect(of("  \n\n")).toEqual([]);
});
