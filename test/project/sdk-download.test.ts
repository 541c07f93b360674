import { type ChildProcess, execFile } from "node:child_process";
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { buildSdk } from "../../sdk/build.ts";
import { cloneInto } from "../support/clone.ts";
import { newIntegrator } from "../support/integrator.ts";
import { start as startIn, stop } from "./started.ts";

const run = promisify(execFile);
const running: ChildProcess[] = [];
let directory: string;
let clone: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-download-"));
  clone = await cloneInto(join(directory, "clone"));
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = (port: number) => startIn({ port, cwd: clone, onSpawn: (child) => running.push(child) });
const script = (name: string) => run(node, [join("scripts", name)], { cwd: clone });

async function setVersion(version: string): Promise<void> {
  const file = join(clone, "sdk/package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...manifest, version }, null, 2));
}

/** Returns the first matching code block of a page. */
async function blockOf(page: string, pattern: RegExp): Promise<string> {
  const text = await readFile(join(root, page), "utf8");
  const block = [...text.matchAll(/^```\w+\n(.*?)^```$/gms)]
    .map(([, code = ""]) => code)
    .find((code) => pattern.test(code));
  return block ?? expect.unreachable(`${page} has no ${pattern}`);
}

test("in a clone, npm links the SDK's command before the SDK is built, and the command then prints what to run", {
  tags: "soak",
}, async () => {
  const { project, shell, dispose } = await newIntegrator();
  onTestFinished(dispose);
  const sources = join(root, "sdk");
  await cp(sources, join(project, "sdk"), {
    recursive: true,
    filter: (path) => !/^(dist|node_modules)/.test(relative(sources, path)),
  });
  await cp(join(root, ".npmrc"), join(project, ".npmrc"));
  // Without its development dependencies, which npm would download.
  const { devDependencies: _, ...manifest } = JSON.parse(await readFile(join(sources, "package.json"), "utf8"));
  await writeFile(join(project, "sdk/package.json"), JSON.stringify(manifest));
  await writeFile(join(project, "package.json"), '{"name":"clone","private":true,"workspaces":["sdk"]}');
  await shell("npm install --package-lock-only && npm ci");
  await expect(shell("npx --no-install tributary-sdk --version")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not built in this clone yet: run `npm start`"),
  });
  await buildSdk(join(project, "sdk/dist"));
  expect(await shell("npx --no-install tributary-sdk --version")).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("a service serves each released version permanently, and its documents' commands install the newest version", {
  tags: "soak",
}, async () => {
  await setVersion("7.0.0");
  const { stdout } = await script("release/release-sdk.ts");
  expect(stdout).toContain("sdk/released/tributary-sdk-7.0.0.tgz");
  for (const page of ["docs/integration.md", "docs/cli.md", "sdk/README.md"]) {
    const versions = (await readFile(join(clone, page), "utf8")).match(/(?<=\/tributary-sdk-)[\d.]+(?=\.tgz)/g);
    expect(new Set(versions), page).toEqual(new Set(["7.0.0"]));
  }
  await expect(script("release/release-sdk.ts")).rejects.toMatchObject({
    stderr: "tributary-sdk 7.0.0 is released already: raise the version in sdk/package.json\n",
  });

  const port = await freePort();
  const service = await start(port);
  const { url } = service;
  const sevenZero = `${url}/sdk/tributary-sdk-7.0.0.tgz`;
  expect(service.banner).toContain(` && npm install ${sevenZero}\n`);
  expect(await (await fetch(`${url}/docs`)).text()).toContain(`\nnpm install ${sevenZero}\n`);
  const served = await fetch(`${url}/sdk.tgz`);
  expect(served.url).toBe(sevenZero);
  expect(served.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(served.headers.get("content-type")).toBe("application/gzip");
  expect(served.headers.get("content-encoding")).toBeNull();
  const bytes = Buffer.from(await served.arrayBuffer());
  expect(bytes).toEqual(await readFile(join(clone, "sdk/released/tributary-sdk-7.0.0.tgz")));

  const env = { TRIBUTARY_URL: url, TRIBUTARY_API_KEY: /Program API key: +(\S+)/.exec(service.banner)?.[1] ?? "" };
  // `npm start` has also built the clone's own package.
  const verified = "Attributed. Clicks, leads and sales are credited to the right partner.";
  expect((await run(node, ["sdk/bin.js", "verify"], { cwd: clone, env })).stdout).toContain(verified);

  const { project, shell, dispose } = await newIntegrator();
  onTestFinished(dispose);
  const inDocs = "https://tributary.example/sdk/tributary-sdk-";
  const install = await blockOf("sdk/README.md", /npm install/);
  expect(install).toContain(inDocs);
  await shell(install.replace(new RegExp(`${inDocs}[\\d.]+\\.tgz`), sevenZero));
  await writeFile(join(project, "first-sale.mjs"), await blockOf("docs/quick-start.md", /trackRefund/));
  expect(await shell("node first-sale.mjs", { env })).toMatch(/\nrefund 200 800\n$/);
  expect(await shell(await blockOf("docs/quick-start.md", /npx/), { env })).toContain(verified);
  const elsewhere = join(project, "elsewhere");
  await mkdir(elsewhere);
  const npx = (await blockOf("docs/cli.md", /npx --yes/)).replace("https://tributary.example", url);
  expect(await shell(npx, { cwd: elsewhere, env })).toContain(verified);

  await stop(service.child);
  await appendFile(join(clone, "sdk/README.md"), "\nAnother line.\n");
  await expect(script("build/build.ts")).rejects.toMatchObject({
    stderr: expect.stringContaining("tributary-sdk 7.0.0 is released and its sources changed: raise the version"),
  });
  await setVersion("7.1.0");
  await script("release/release-sdk.ts");
  const later = await start(port);
  expect(later.banner).toContain("tributary-sdk-7.1.0.tgz");
  expect((await fetch(`${url}/sdk.tgz`)).url).toBe(`${url}/sdk/tributary-sdk-7.1.0.tgz`);
  await rm(join(project, "node_modules"), { recursive: true });
  // Installs again without npm's cache.
  await shell('rm -r "$HOME/.npm" && npm ci');
  expect(await shell("node -p 'require(\"tributary-sdk/package.json\").version'")).toBe("7.0.0\n");

  const file = join(clone, "sdk/released/tributary-sdk-7.0.0.tgz");
  await writeFile(file, bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
  await expect(script("build/build.ts")).rejects.toMatchObject({
    stderr: expect.stringContaining("7.0.0.tgz was changed"),
  });
});
