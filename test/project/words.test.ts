import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/root.ts";

/** Phrases that a reader has to translate, with their replacements. */
const phrases = {
  whoever: "the caller, the member, anyone who",
  anew: "again",
  afresh: "again",
  "told of": "reported, notified",
  "come to nothing": "have no effect",
  "comes to nothing": "has no effect",
  "comes to the same": "is idempotent, has the same result",
  "took in": "added, received",
  "for ever": "forever, permanently",
  "as it stands": "unchanged, current",
};
const refused = new RegExp(`\\b(${Object.keys(phrases).join("|")})\\b`, "gi");

const own = ["bench", "dashboard", "harness", "runtime", "scripts", "sdk", "src", "test", "tracker"];
const files = execFileSync("git", ["ls-files", "--", "*.md", ...own], { cwd: root, encoding: "utf8" }).split("\n");
/** Released entries of the changelog stay unchanged, and this file contains the phrases. */
const kept = new Set(["CHANGELOG.md", "test/project/words.test.ts"]);
const checked = files.filter((file) => /\.([cm]?[jt]sx?|sql|md)$/.test(file) && !kept.has(file));

/** Matches a comment, or the title of a test or of an API field. */
const prose = /^\s*(\/\/|\/?\*|--\s).*|\/\/\s.*|\b(?:describe|it|test)\b[^"'`]*["'`].*|\.describe\(.*/;

it("comments, documents, test titles and descriptions have no phrase that a reader has to translate", () => {
  const found = checked.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const text = file.endsWith(".md") ? line : (prose.exec(line)?.[0] ?? "");
        return [...text.matchAll(refused)].map(([phrase]) => `${file}:${index + 1}: ${phrase}`);
      }),
  );
  expect(found).toEqual([]);
});
