import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/root.ts";

const exclude = (path: string) => /(^|\/)(node_modules|dist|results)$/.test(path);
const documents = globSync("**/*.md", { cwd: root, exclude });

it.each(documents)("in %s, each link and image within the project leads to a file", (name) => {
  const text = readFileSync(join(root, name), "utf8").replace(/```[\s\S]*?```/g, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  const inside = targets.filter((target) => !/^([a-z]+:|#|\/)/.test(target)).map((target) => target.replace(/#.*/, ""));
  expect(inside.filter((target) => !existsSync(join(root, dirname(name), target)))).toEqual([]);
});

/** Matches a path from the repository's root or, in a folder's README, from that folder. */
const source = /^(bench|dashboard|docs|harness|migrations|runtime|scripts|sdk|src|test|tracker)\/[\w./-]*\.\w+$/;

it.each(documents)("in %s, each mentioned source file exists", (name) => {
  const text = readFileSync(join(root, name), "utf8").replace(/```[\s\S]*?```/g, "");
  const paths = [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? "").filter((path) => source.test(path));
  const exists = (path: string) => existsSync(join(root, path)) || existsSync(join(root, dirname(name), path));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

it("the README links the list of guides, which links every page of docs", () => {
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("](docs/README.md)");
  const list = readFileSync(join(root, "docs/README.md"), "utf8");
  const pages = globSync("*.md", { cwd: join(root, "docs"), exclude: ["README.md"] });
  expect(pages.filter((page) => !list.includes(`](${page})`))).toEqual([]);
});
