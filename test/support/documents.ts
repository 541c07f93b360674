import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/root.ts";

export interface Block {
  readonly language: string;
  /** Without the indentation of its list. */
  readonly text: string;
  readonly line: number;
}

/** Every document that an integrator or an operator follows. */
export const documents = [
  "README.md",
  ...globSync(["docs/*.md", "sdk/README.md", "examples/*/README.md"], { cwd: root }),
]
  .map((path) => path.replaceAll("\\", "/"))
  .toSorted();

export const readDocument = (path: string): string => readFileSync(join(root, path), "utf8");

/** The code blocks of a document, in order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^( *)```(\S*)\n(.*?)^ *```$/gms)].map(
    ({ 1: indent = "", 2: language = "", 3: text = "", index }) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      line: page.slice(0, index).split("\n").length,
    }),
  );
