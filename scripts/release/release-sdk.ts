import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildSdk } from "../../sdk/build.ts";
import { release } from "../../sdk/releases.ts";
import { explain } from "../command.ts";
import { root } from "../root.ts";

// npm run release:sdk: releases the SDK under the version in sdk/package.json. Commit the files that it writes.

const namesNewest = [
  "README.md",
  "docs/*.md",
  "sdk/README.md",
  "examples/*/README.md",
  ".github/ISSUE_TEMPLATE/bug.yml",
];

/** Writes the newest version into the install commands of the documents. The README is part of the package. */
async function nameInDocuments(version: string): Promise<void> {
  for (const name of globSync(namesNewest, { cwd: root })) {
    const text = await readFile(join(root, name), "utf8");
    const named = text.replaceAll(
      /(tributary\.example\/sdk\/tributary-sdk-|placeholder: service [\w.]+, tributary-sdk )\d+\.\d+\.\d+/g,
      `$1${version}`,
    );
    if (named !== text) await writeFile(join(root, name), named);
  }
}

const dist = await mkdtemp(join(tmpdir(), "tributary-sdk-"));
try {
  await buildSdk(dist);
  const { file, integrity } = await release({ dist }, { before: nameInDocuments });
  console.log(`${relative(root, file)}\n${integrity}\nCommit it with sdk/released/integrity.json and the documents.`);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
} finally {
  await rm(dist, { recursive: true, force: true });
}
