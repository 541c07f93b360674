import { describe, expect, it } from "vitest";
import { maskEmail, normalizeEmail, similarEmail } from "#domain/email.ts";

describe("maskEmail", () => {
  it.each([
    ["john@example.com", "j•••@e•••.com"],
    ["a@b.co.uk", "a•••@b•••.uk"],
    ['"odd@local"@example.org', '"•••@e•••.org'],
    ["root@localhost", "r•••@l•••"],
    ["😀x@example.com", "😀•••@e•••.com"],
    ["@example.com", "•••@e•••.com"],
    ["nobody", "•••"],
  ])("maskEmail masks %s as %s", (email, mask) => {
    expect(maskEmail(email)).toBe(mask);
  });
});

it("normalizeEmail trims and lower-cases an address", () => {
  expect(normalizeEmail("  John@Example.COM\n")).toBe("john@example.com");
});

it.each([
  ["zoe@bücher.example", "zoe@xn--bcher-kva.example"],
  ["Zoe@BÜCHER.example", "zoe@xn--bcher-kva.example"],
  ["zoe@bu\u0308cher.example", "zoe@xn--bcher-kva.example"],
  ["zoe@例え。テスト", "zoe@xn--r8jz45g.xn--zckzah"],
  ["zoë@example.com", "zoë@example.com"],
  ["zoe@bücher.example/x", "zoe@bücher.example/x"],
  ["bücher", "bücher"],
])("normalizeEmail converts the domain of %s to its DNS form", (email, normal) => {
  expect(normalizeEmail(email)).toBe(normal);
});

describe("similarEmail", () => {
  it.each([
    ["john@example.com", "john@example.com"],
    [" JOHN@Example.com\n", "john@example.com"],
    ["john @ example.com", "john@example.com"],
    ["john@example.com.", "john@example.com"],
    ["john+shop@example.com", "john@example.com"],
    ["john+a+b@example.com", "john@example.com"],
    ["+john@example.com", "+john@example.com"],
    ["jo.hn@example.com", "jo.hn@example.com"],
    ["jo.h.n@gmail.com", "john@gmail.com"],
    ["jo.hn+shop@googlemail.com", "john@gmail.com"],
    ["john@mail.gmail.com", "john@mail.gmail.com"],
    ["John <jo.hn+shop@gmail.com>", "john@gmail.com"],
    ['"Doe, John" <john@example.com> ', "john@example.com"],
    ["<john@example.com>", "john@example.com"],
    ["ｊｏｈｎ＠example.com", "john@example.com"],
    ["john+x@bücher.example", "john@xn--bcher-kva.example"],
    ['"odd@local"@example.org', "odd@local@example.org"],
    ["john(work)@example.com", "john@example.com"],
    ["john@example.com (John D)", "john@example.com"],
    ['"jo.hn"@gmail.com', "john@gmail.com"],
    ["mailto:john@example.com", "john@example.com"],
    ["John <mailto:john@example.com>", "john@example.com"],
    ["[john@example.com](mailto:john@example.com)", "john@example.com"],
    ["“john@example.com”", "john@example.com"],
    ["'john@example.com'", "john@example.com"],
    ["john@example.com,", "john@example.com"],
    ["john@example.com>", "john@example.com"],
    ["john@example.com..", "john@example.com"],
    ["john%40example.com", "john@example.com"],
    ["jo\u200Bhn@exam\u00ADple.com", "john@example.com"],
    ["john@example.com; jane@example.com", "john@example.com"],
    ["John <john@example.com>, Jane <jane@example.com>", "john@example.com"],
  ])("similarEmail normalizes %s to %s", (email, similar) => {
    expect(similarEmail(email)).toBe(similar);
    expect(similarEmail(similar)).toBe(similar);
  });

  it.each(["", "john", "@example.com", "john@", "John <>", "..@gmail.com"])(
    "similarEmail rejects %s, which isn't an address",
    (text) => {
      expect(similarEmail(text)).toBeUndefined();
    },
  );
});
