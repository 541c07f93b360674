import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

const read = (path: string) => readFile(join(root, path), "utf8");

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

test("every package in the lock file has an integrity hash", async () => {
  const { packages } = JSON.parse(await read("package-lock.json")) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(installed.length).toBeGreaterThan(100);
  const unchecked = installed
    .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
  expect(unchecked).toEqual([]);
});

test("packages have an exact version, in the project and in the examples", async () => {
  const { name: ours } = JSON.parse(await read("sdk/package.json"));
  const manifests = [
    "package.json",
    ...globSync(["{sdk,test/clients}/package.json", "examples/*/package.json"], { cwd: root }),
  ];
  for (const manifest of manifests) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(await read(manifest));
    const named = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    for (const [name, version] of named.filter(([name]) => name !== ours))
      expect(version, `${manifest}: ${name}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
});

test("CI pins actions to commits, and gives them no credentials", async () => {
  for (const workflow of globSync(".github/workflows/*.yml", { cwd: root })) {
    const text = await read(workflow);
    const used = [...text.matchAll(/uses: *(.*)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text.match(/uses: actions\/checkout@/g)?.length).toBe(text.match(/persist-credentials: false/g)?.length);
  }
});
