import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ExplainedError, explain, readFlags, shellWord } from "../command.ts";
import { root } from "../root.ts";
import { writeTree } from "./tree.ts";

// npm run package: writes dist/tributary-<version>-linux-x64.tar.gz, with Node. `-- --file <path>` writes another file,
// and `-- --tree <folder>` writes the archive's folder without Node, as the Dockerfile does.

const flags = readFlags("Usage: npm run package -- [--file <path> | --tree <folder>]", {
  file: { type: "string" },
  tree: { type: "string" },
});

try {
  const name = `tributary-${manifest.version}-linux-x64`;
  if (flags.tree === undefined)
    await writeArchive(name, flags.file === undefined ? join(root, `dist/${name}.tar.gz`) : resolve(flags.file));
  else await writeTree({ folder: resolve(flags.tree), hasNode: false });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

async function writeArchive(name: string, file: string): Promise<void> {
  const { platform, arch } = process;
  if (platform !== "linux" || arch !== "x64") {
    throw new ExplainedError(`The archive is for linux-x64, and is written there: this is ${platform}-${arch}.`);
  }
  const folder = await mkdtemp(join(tmpdir(), "tributary-package-"));
  try {
    await writeTree({ folder: join(folder, name), hasNode: true });
    await mkdir(dirname(file), { recursive: true });
    const owner = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
    execFileSync("tar", ["-czf", `${file}.new`, ...owner, "-C", folder, name]);
    await rename(`${file}.new`, file);
    console.log(`${file}

To try it on this machine:

mkdir -p ~/tributary/1 && tar -xzf ${shellWord(file)} -C ~/tributary/1 --strip-components 1 && ~/tributary/1/bin/tributary serve --data ~/tributary/data

Then open the link in ~/tributary/data/first-owner.txt.

For a server: docs/self-hosting.md, "With an archive".`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
