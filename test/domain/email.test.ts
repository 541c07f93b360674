import { describe, expect, it } from "vitest";
import { maskEmail, normalizeEmail } from "#domain/email.ts";

describe("maskEmail", () => {
  it.each([
    ["john@example.com", "j•••@e•••.com"],
    ["a@b.co.uk", "a•••@b•••.uk"],
    ['"odd@local"@example.org', '"•••@e•••.org'],
    ["root@localhost", "r•••@l•••"],
    ["😀x@example.com", "😀•••@e•••.com"],
    ["@example.com", "•••@e•••.com"],
    ["nobody", "•••"],
  ])("%s is shown as %s", (email, mask) => {
    expect(maskEmail(email)).toBe(mask);
  });
});

it("normalizeEmail trims and lower-cases", () => {
  expect(normalizeEmail("  John@Example.COM\n")).toBe("john@example.com");
});
