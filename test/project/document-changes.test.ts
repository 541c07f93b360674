import { expect, test } from "vitest";
import { documentChanges } from "../../scripts/build/document-changes.ts";

test("npm run openapi -- --against refuses an unknown commit", async () => {
  await expect(documentChanges("no-such-commit")).rejects.toThrow("git knows no commit no-such-commit.");
});

test("npm run openapi -- --against prints the differences from a commit", { tags: "soak" }, async () => {
  const [first = ""] = (await documentChanges("HEAD")).split("\n");
  // The output is empty unless an endpoint has changed since the commit.
  expect(first).toMatch(/^$|^diff --git (\w+)\.json/);
});
