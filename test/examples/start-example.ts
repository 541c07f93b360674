import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { startChild } from "../../scripts/service/child.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { buildSdk } from "../../sdk/build.ts";

/** Copies an example to an empty folder, and installs the packed SDK there. */
async function copyOf(example: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-example-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = join(root, "examples", example);
  await cp(source, folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  await mkdir(join(folder, "node_modules/@hono"), { recursive: true });
  for (const name of ["@hono/node-server", "express", "hono", "stripe"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  await buildSdk(join(folder, "node_modules/tributary-sdk/dist"));
  await cp(join(root, "sdk/package.json"), join(folder, "node_modules/tributary-sdk/package.json"));
  return folder;
}

/** Starts a copy of the example, first without its settings. Resolves to the address that the example prints. */
export async function startExample(example: string, env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await copyOf(example);
  const { PATH } = process.env;
  await expect(promisify(execFile)(node, ["server.ts"], { cwd, env: { PATH } })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Set TRIBUTARY_API_KEY, [A-Z_, ]+: see README\.md\n$/),
  });
  const child = await startChild(node, ["server.ts"], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH, PORT: String(await freePort()), ...env },
  });
  onTestFinished(() => child.stop());
  if (child.process.stdout === null) throw new Error("no output");
  const [said] = await once(child.process.stdout, "data");
  return String(said).trim();
}
