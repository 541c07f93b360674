import { expect, test } from "vitest";
import { parsePartnerList } from "../../dashboard/src/forms/partner-list.ts";

const of = (text: string) => parsePartnerList(text).map(({ line, name, code, email }) => [line, name, code, email]);

test.each([
  ["commas", "Anna, anna, a@b.example\nBea,bea"],
  ["semicolons and carriage returns", "Anna;anna;a@b.example\r\nBea;bea;\r\n"],
  ["tabs, as a spreadsheet copies cells", "Anna\tanna\ta@b.example\nBea\tbea\t"],
  ["quotes", '"Anna","anna","a@b.example"\n"Bea","bea"'],
])("a list with %s", (_, text) => {
  expect(of(text)).toEqual([
    [1, "Anna", "anna", "a@b.example"],
    [2, "Bea", "bea", ""],
  ]);
});

test("a head and empty lines are left out, and lines keep their numbers", () => {
  expect(of("Name;Code;Email\n\nAnna;anna\n \nBea;bea")).toEqual([
    [3, "Anna", "anna", ""],
    [5, "Bea", "bea", ""],
  ]);
});

test("a name may have a comma where tabs separate the cells", () => {
  expect(of("Anna, Ltd.\tanna\t\nBea, Inc.\tbea\t")).toEqual([
    [1, "Anna, Ltd.", "anna", ""],
    [2, "Bea, Inc.", "bea", ""],
  ]);
});

test("nothing pasted is no line", () => {
  expect(of("  \n\n")).toEqual([]);
});
