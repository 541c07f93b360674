import { expect, test } from "vitest";
import { inWords } from "../../dashboard/src/components/form-errors.ts";

test.each([
  ["amountCents must be a positive integer", "Enter an amount above 0."],
  ["accent must be a color such as #1f6feb", "Enter a color such as #1f6feb."],
  [
    "origins must be an array of at most 20 origins: https://<host>, or http://localhost:<port>, without a path",
    "Enter up to 20 origins, one per line, such as https://app.example, without a path.",
  ],
  [
    "offer.couponIds.stripe must be 1 to 64 printable characters without spaces",
    "Enter 1 to 64 characters without spaces.",
  ],
  [
    "offer.couponIds.stripe must not be a placeholder such as null or {{id}}",
    "Enter the ID itself, not a placeholder.",
  ],
])("a form field shows the service's message %j in plain words", (message, shown) => {
  expect(inWords(message, "field", "Label")).toBe(shown);
});
