import { describe, expect, it, test } from "vitest";
import { isCallerId, isPlaceholderId, placeholderIn } from "#domain/caller-id.ts";
import { isPlaceholder as isPlaceholderOfImporter } from "../../importer/placeholder.ts";
import { isPlaceholder as isPlaceholderOfSdk } from "../../sdk/src/placeholder.ts";
import { namesOfCustomers, placeholders } from "../support/placeholders.ts";

describe("isCallerId", () => {
  it.each(["a", "cus_123", " inner  space ", "Ünïcödé", "😀", "x".repeat(255), "😀".repeat(127)])(
    "isCallerId accepts %j",
    (text) => {
      expect(isCallerId(text)).toBe(true);
    },
  );
  it.each([
    ["empty", ""],
    ["blank", "   "],
    ["blank in Unicode", "\u00a0\u2003"],
    ["text above the limit in bytes", "x".repeat(256)],
    ["too long in UTF-16", "😀".repeat(128)],
    ["NUL", "a\u0000b"],
    ["a line feed", "a\nb"],
    ["a trailing line feed", "a\n"],
    ["DEL", "a\u007f"],
    ["a C1 control", "a\u0085b"],
    ["a lone high surrogate", "a\ud83d"],
    ["a lone low surrogate", "\ude00a"],
  ])("isCallerId rejects %s", (_, text) => {
    expect(isCallerId(text)).toBe(false);
  });
});

describe.each([
  ["the service", isPlaceholderId],
  ["the SDK", isPlaceholderOfSdk],
  ["the importer", isPlaceholderOfImporter],
] as const)("the check for placeholder ids in %s", (_, isPlaceholder) => {
  test.each(placeholders)("the placeholder check recognizes %j as a placeholder", { tags: ["finding"] }, (id) => {
    expect(isPlaceholder(id)).toBe(true);
  });

  test.each(namesOfCustomers)("the placeholder check accepts %j as an id", { tags: ["finding"] }, (id) => {
    expect(isPlaceholder(id)).toBe(false);
  });
});

test("placeholderIn returns the first field that contains a placeholder", () => {
  expect(placeholderIn({ a: "null", b: "undefined" })).toBe("a");
  expect(placeholderIn({ a: null, b: undefined, c: "u-1", d: "{{id}}" })).toBe("d");
  expect(placeholderIn({ a: null, b: "none" })).toBeUndefined();
});
