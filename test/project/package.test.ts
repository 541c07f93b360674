import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { productionPackages } from "../../scripts/release/packages.ts";
import { root } from "../../scripts/root.ts";
import { settings } from "../../scripts/service/settings.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as Record<"dependencies" | "devDependencies", object>;
const nameOf = (place: string) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

test("a release's archive contains every dependency, no development package and no Node", () => {
  const names = productionPackages(root).map(nameOf);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(manifest.dependencies), "drizzle-orm", "tldts-core"]));
  expect(names.filter((name) => name in manifest.devDependencies || name.startsWith("node-"))).toEqual([]);
  expect(names.some((name) => /^@libsql\/\w+-\w+/.test(name))).toBe(true);
});

test("a command in a clone without installed packages prints what to run first", async () => {
  const clone = await mkdtemp(join(tmpdir(), "tributary-clone-"));
  onTestFinished(() => rm(clone, { recursive: true, force: true }));
  await cp(join(root, "scripts/with-node"), join(clone, "scripts/with-node"));
  const run = promisify(execFile)("sh", ["scripts/with-node", "node", "scripts/release/package.ts"], { cwd: clone });
  const stderr = "The packages aren't installed. Run npm ci first.\n";
  await expect(run).rejects.toMatchObject({ code: 1, stdout: "", stderr });
});

test("a release's archive isn't written from a folder in which a package is missing", async () => {
  const clone = await mkdtemp(join(tmpdir(), "tributary-clone-"));
  onTestFinished(() => rm(clone, { recursive: true, force: true }));
  await cp(join(root, "package-lock.json"), join(clone, "package-lock.json"));
  expect(() => productionPackages(clone)).toThrow("The packages aren't all installed. Run npm ci first.");
});

const namesIn = (text: string) => [...text.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name);

test("the compose file sets only variables that the service knows, and trusts only its own network", () => {
  const compose = read("compose.yaml");
  const known = settings.map(({ name }) => String(name));
  const names = namesIn(compose);
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(known).toContain(name);
  const [, trusted] = /TRUSTED_PROXIES: (\S+)/.exec(compose) ?? [];
  expect(/subnet: (\S+)/.exec(compose)?.[1]).toBe(trusted);
  expect(compose).toMatch(/read_only: true\n {4}tmpfs:\n {6}- \/tmp\n {4}volumes:\n {6}- data:\/data\n/);
});

test("the container image doesn't run as root, and sets only variables that the service knows", () => {
  const dockerfile = read("Dockerfile");
  const [, list = ""] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  const names = list.split(" ").map((each) => each.split("=")[0]);
  const known = settings.map(({ name }) => String(name));
  for (const name of names) expect([...known, "NODE_COMPILE_CACHE"]).toContain(name);
  expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
  for (const base of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(base[1]).toMatch(/^\$\{\w+_IMAGE\}$/);
});
