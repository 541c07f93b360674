import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/root.ts";

export interface Block {
  readonly language: string;
  /** The code without the indentation of the list that contains it. */
  readonly text: string;
  readonly line: number;
}

/** The paths of all documents for integrators and operators. */
export const documents = [
  "README.md",
  ...globSync(["docs/*.md", "sdk/README.md", "examples/*/README.md"], { cwd: root }),
]
  .map((path) => path.replaceAll("\\", "/"))
  .toSorted();

export const readDocument = (path: string): string => readFileSync(join(root, path), "utf8");

/** Returns the code blocks of a document, in order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^( *)```(\S*)\n(.*?)^ *```$/gms)].map(
    ({ 1: indent = "", 2: language = "", 3: text = "", index }) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      line: page.slice(0, index).split("\n").length,
    }),
  );

/** Returns a pattern for a text of a document, in which … matches anything. */
export const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .trim()
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
      .replaceAll("…", ".*?")}$`,
    "s",
  );
