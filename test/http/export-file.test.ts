import fc from "fast-check";
import { expect, test } from "vitest";
import { exportHeaders } from "#api/export-file.ts";

const nameOf = (name: string, ...parts: string[]) => exportHeaders({ id: 7, name }, ...parts)["Content-Disposition"];

test.each([
  ["Northwind Outdoor", "tributary-northwind-outdoor-payouts"],
  ['a"; filename="evil.exe', "tributary-a-filename-evil-exe-payouts"],
  ["../../etc/passwd", "tributary-etc-passwd-payouts"],
  ["a\r\nSet-Cookie: x=y", "tributary-a-set-cookie-x-y-payouts"],
  ["\u202egnp.exe\u0000", "tributary-gnp-exe-payouts"],
  ["Zoë & Søn", "tributary-zoe-s-n-payouts"],
  ["\u05d7\u05e0\u05d5\u05ea", "tributary-program-7-payouts"],
  [`${"a".repeat(59)} ${"b".repeat(195)}`, `tributary-${"a".repeat(59)}-payouts`],
])("a file exported from a program named %j has a safe file name", (name, expected) => {
  expect(nameOf(name, "payouts")).toBe(`attachment; filename="${expected}.csv"`);
});

const pieces = [
  '"',
  "\\",
  "/",
  "\r",
  "\n",
  "\0",
  ";",
  "=",
  ".",
  "-",
  " ",
  "\u202e",
  "\u200b",
  "\u0130",
  "é",
  "ß",
  "書",
  "💰",
  "a",
  "Z",
  "9",
];
const texts = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 255 });

test("a program's name adds only ASCII letters, digits and hyphens to the Content-Disposition header", () => {
  fc.assert(
    fc.property(texts, texts, (name, part) => {
      expect(nameOf(name, part)).toMatch(/^attachment; filename="tributary(?:-[a-z0-9]+)+\.csv"$/);
    }),
  );
});
