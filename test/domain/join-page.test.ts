import { expect, it } from "vitest";
import { codeFromName } from "#domain/join-page.ts";

it.each([
  ["Ada Blogs", "ada-blogs"],
  ["-Zo\u00EB!", "zoe"],
  [`${"a".repeat(39)} b`, "a".repeat(39)],
  ["___", "partner"],
  ["Null", "partner"],
])("a code derived from %j begins and ends with a letter or digit", (name, code) => {
  expect(codeFromName(name, "")).toBe(code);
  expect(codeFromName(name, "2")).toBe(`${code}-2`);
});
