import { describe, expect, it } from "vitest";
import { isCallerId } from "#domain/caller-id.ts";

describe("isCallerId", () => {
  it.each(["a", "cus_123", " inner  space ", "Ünïcödé", "😀", "x".repeat(255), "😀".repeat(127)])(
    "accepts %j",
    (text) => {
      expect(isCallerId(text)).toBe(true);
    },
  );
  it.each([
    ["empty", ""],
    ["blank", "   "],
    ["blank in Unicode", "\u00a0\u2003"],
    ["too long", "x".repeat(256)],
    ["too long in UTF-16", "😀".repeat(128)],
    ["NUL", "a\u0000b"],
    ["a line feed", "a\nb"],
    ["a trailing line feed", "a\n"],
    ["DEL", "a\u007f"],
    ["a C1 control", "a\u0085b"],
    ["a lone high surrogate", "a\ud83d"],
    ["a lone low surrogate", "\ude00a"],
  ])("refuses %s", (_, text) => {
    expect(isCallerId(text)).toBe(false);
  });
});
