import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

const source = "dashboard/src";

/** An expression for a name that someone has chosen: `programName`, `partner.name`, or `name` alone. */
const chosen = "(?:\\w+\\??\\.)*(?:name|(?:program|workspace|partner|user|member)Name)(?: \\?\\? [^}`]*)?";

const inSentence = new RegExp(
  [
    // In a template literal, next to a word.
    `(?<=[A-Za-z][,:]? )\\$\\{${chosen}\\}`,
    `\\$\\{${chosen}\\}(?=(?:[,:.]|'s)? [A-Za-z])`,
    // In the text of an element, next to a word.
    `(?<=[A-Za-z][,:]? )\\{${chosen}\\}(?=[^}]*[<.?])`,
    `(?<=>\\s*)\\{${chosen}\\}(?=(?:[,:.]|'s)? [a-z])`,
  ].join("|"),
  "g",
);

/** Names that nobody types: of browsers, and of the identity provider, which the operator chooses. */
const notTyped = new Set([
  "pages/account/sessions.tsx",
  "pages/provider-link.tsx",
  "pages/reauthenticate.tsx",
  "pages/sign-in.tsx",
]);

test("inside a sentence of the apps, a name that someone chose has its own element or passes nameInText, which isolates right-to-left names", () => {
  const files = globSync("**/*.{ts,tsx}", { cwd: join(root, source) }).filter((file) => !notTyped.has(file));
  expect(files.length).toBeGreaterThan(300);
  const bare = files.flatMap((file) =>
    [...readFileSync(join(root, source, file), "utf8").matchAll(inSentence)].map(({ 0: found, index, input }) => {
      const line = input.slice(0, index).split("\n").length;
      return `${file}:${line}: ${found}`;
    }),
  );
  expect(bare).toEqual([]);
});
