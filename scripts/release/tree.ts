import { execFileSync } from "node:child_process";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { releaseOf } from "../build/release.ts";
import { ExplainedError } from "../command.ts";
import { node, root } from "../root.ts";
import { incomplete, productionPackages } from "./packages.ts";

/** The sources that Node runs directly. What is served comes from the build instead. */
const sources = [
  "LICENSE",
  "CHANGELOG.md",
  "bin",
  "importer",
  "migrations",
  "package.json",
  "runtime",
  "scripts",
  "sdk/cli",
  "sdk/files.ts",
  "sdk/package.json",
  "sdk/src",
  "sdk/tar.ts",
  "src",
  "wrangler.toml",
];

const isUnused = (path: string): boolean => /\.(?:d\.[cm]?ts|map|tsbuildinfo)$/.test(path) || path.endsWith("/.cache");

export interface Tree {
  readonly folder: string;
  /** True if the tree contains the pinned Node. Otherwise, the machine's Node is used. */
  readonly hasNode: boolean;
}

/** Writes everything that the service and its operator's commands need, and no development packages. */
export async function writeTree({ folder, hasNode }: Tree): Promise<void> {
  const copy = async (path: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { recursive: true, filter: (each) => !isUnused(each) });
  };
  if (hasNode && !node.startsWith(join(root, "node_modules"))) throw new ExplainedError(incomplete);
  for (const path of [...sources, ...productionPackages(root)]) await copy(path);
  await chmod(join(folder, "bin/tributary"), 0o755);
  if (hasNode) await copy(node.slice(root.length + 1));
  const [, commit = ""] = releaseOf(root).split("+");
  await writeFile(join(folder, "scripts/commit.txt"), `${commit}\n`);
  execFileSync(node, [join(root, "scripts/build/build-served.ts"), join(folder, "dist")], { stdio: "inherit" });
}
