/** @module-tag soak */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import {
  type Container,
  composeService,
  dockerfile,
  execInContainer,
  healthCheck,
  type ImageConfig,
  imageOfDockerfile,
  imageOfOci,
  lastStage,
  type OciConfig,
  startContainer,
} from "../support/container.ts";
import { readDocument } from "../support/documents.ts";
import {
  type Box,
  endAll,
  expectFullDiskSurvived,
  expectRecorded,
  killWhileSelling,
  openShop,
  sell,
  startIn,
  stopped,
  writeReleasedData,
} from "./boxed.ts";

const run = (program: string, args: readonly string[], cwd = root): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 26 }).trim();

const succeeds = (program: string, args: readonly string[]): boolean => {
  try {
    run(program, args);
    return true;
  } catch {
    return false;
  }
};

/** Returns why a container can't run here. */
function whyNoContainer(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "mounts need root on Linux";
  const isMountAllowed = succeeds("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  return isMountAllowed ? undefined : "this machine doesn't allow mounts";
}

function whyNoEngine(): string | undefined {
  const lacking = ["buildah", "debootstrap"].filter((name) => !succeeds("sh", ["-c", `command -v ${name}`]));
  return lacking.length === 0 ? whyNoContainer() : `this machine has no ${lacking.join(" and no ")}`;
}

const folder = mkdtempSync(join(tmpdir(), "tributary-image-"));
const compose = composeService({ DOMAIN: "tributary.example" });

/** Runs the image's files with the settings of compose.yaml, but on free ports, since it has this machine's network. */
function boxOf(image: ImageConfig, base: Pick<Container, "files" | "mounts">): ImageBox {
  const containerOf = (data: string, environment: Readonly<Record<string, string>> = {}): Container => ({
    files: base.files,
    image,
    compose,
    mounts: { ...base.mounts, "/data": data },
    environment,
  });
  const exec = (data: string, args: readonly string[]) => execInContainer(containerOf(data), args);
  return {
    exec,
    start: (data, { port, metricsPort }) =>
      startContainer(containerOf(data, { PORT: String(port), METRICS_PORT: String(metricsPort) })),
    tributary: (data, args) => exec(data, ["tributary", ...args]),
    health: (data, port) =>
      execInContainer(containerOf(data, { PORT: String(port) }), healthCheck()).then(
        () => 0,
        ({ code }) => code,
      ),
  };
}

interface ImageBox extends Box {
  exec(data: string, args: readonly string[]): Promise<{ readonly stdout: string }>;
}

const [uid = 0, gid = 0] = imageOfDockerfile().user.split(":").map(Number);

/** Creates a volume with the owner that `/data` has in the image. */
async function newVolume(name: string): Promise<string> {
  const data = join(folder, name);
  await mkdir(data);
  await chmod(data, 0o700);
  await chown(data, uid, gid);
  return data;
}

/**
 * Lays out the image's files by the Dockerfile's instructions, with this machine's programs in place of the base
 * image's.
 */
function layOut(): ImageBox {
  const files = join(folder, "files");
  const programs = join(folder, "programs");
  for (const name of ["dev", "proc", "tmp", "usr", "etc"]) mkdirSync(join(files, name), { recursive: true });
  for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(files, name));
  mkdirSync(programs);
  cpSync(node, join(programs, "node"));
  const copied = lastStage().flatMap(({ name, value }) => (name === "COPY" ? [value] : []));
  expect(copied).toEqual(["--from=build /tree /opt/tributary"]);
  run(node, ["scripts/release/package.ts", "--tree", join(files, "opt/tributary")]);
  const inFiles = `mount --rbind /usr "$1/usr"; mount --bind "$2" "$1/usr/local/bin"; exec chroot "$1" sh -ec "$3"`;
  for (const { name, value } of lastStage()) {
    if (name === "RUN") run("unshare", ["--mount", "sh", "-ec", inFiles, "sh", files, programs, value]);
  }
  return boxOf(imageOfDockerfile(), { files, mounts: { "/usr": "/usr", "/usr/local/bin": programs, "/etc": "/etc" } });
}

const store = ["--root", join(folder, "store"), "--runroot", join(folder, "store-run")];
const buildah = (...args: readonly string[]): string => run("buildah", [...store, ...args]);

/** Makes two Debian images in place of the Dockerfile's base images: one with Node, and one with Node and npm. */
function makeBases(): void {
  const [, suite = ""] = /BASE_IMAGE=node:\d+-(\w+)-slim/.exec(dockerfile()) ?? [];
  const debian = join(folder, "debian");
  run("debootstrap", ["--variant=minbase", suite, debian, "http://deb.debian.org/debian"]);
  cpSync(node, join(debian, "usr/local/bin/node"));
  const base = buildah("from", "scratch");
  buildah("add", "--quiet", base, debian, "/");
  buildah("config", "--env", `PATH=${imageOfDockerfile().environment.PATH}`, base);
  buildah("commit", "--quiet", "--rm", base, "base");
  const builder = buildah("from", "--pull-never", "base");
  buildah("copy", "--quiet", builder, join(run("npm", ["root", "--global"]), "npm"), "/usr/local/lib/node_modules/npm");
  // npm reaches the registry as it does on this machine.
  for (const file of [join(homedir(), ".npmrc"), run("npm", ["config", "get", "cafile"])]) {
    if (existsSync(file)) buildah("copy", "--quiet", builder, file, file);
  }
  const link = ["ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"];
  buildah("run", "--isolation", "chroot", builder, "--", ...link);
  buildah("commit", "--quiet", "--rm", builder, "build-base");
}

function build(): ImageBox {
  makeBases();
  const context = join(folder, "context");
  mkdirSync(context);
  const copy = 'git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$1"';
  run("sh", ["-ec", copy, "sh", context]);
  const bases = ["BUILD_IMAGE=localhost/build-base", "BASE_IMAGE=localhost/base"].flatMap((each) => [
    "--build-arg",
    each,
  ]);
  const cache = `${run("npm", ["config", "get", "cache"])}:/root/.npm`;
  buildah("build", "--isolation", "chroot", "--pull-never", ...bases, "--volume", cache, "--tag", "tributary", context);
  const image = JSON.parse(buildah("inspect", "--type", "image", "tributary")) as { OCIv1: { config: OciConfig } };
  const files = buildah("mount", buildah("from", "--pull-never", "tributary"));
  return boxOf(imageOfOci(image.OCIv1.config), { files, mounts: {} });
}

function removeImages(): void {
  if (!existsSync(join(folder, "store"))) return;
  buildah("umount", "--all");
  buildah("rm", "--all");
  buildah("rmi", "--all", "--force");
}

afterAll(() => {
  endAll();
  removeImages();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the script in the guide that restores a backup in the container. */
function restoreScript(): string {
  const [, script = ""] = /--entrypoint sh tributary -ec '([^']+)'/.exec(readDocument("docs/backup.md")) ?? [];
  expect(script).toContain("tributary restore");
  return script;
}

const ways = [
  { way: "laid out without an engine", reason: whyNoContainer(), make: layOut },
  { way: "built by buildah", reason: whyNoEngine(), make: build },
];

describe.each(ways)("the container image, $way", ({ way, reason, make }) => {
  if (reason !== undefined) {
    process.stderr.write(`Skipped: tests of the image, ${way} (${reason})\n`);
    test.skip(`the container image needs what this machine lacks: ${reason}`, () => {});
    return;
  }
  let box: ImageBox;
  beforeAll(() => {
    box = make();
  }, 1_800_000);

  test("the container image runs as its user on a read-only root, with the environment of compose.yaml", async () => {
    const data = await newVolume(`${way} root`);
    const { stdout } = await box.exec(data, [
      "sh",
      "-c",
      "id -u; id -G; grep -E '^(CapBnd|CapEff|NoNewPrivs)' /proc/self/status; env",
    ]);
    expect(stdout).toMatch(/^10001\n10001\nCapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\n/);
    expect(stdout).toContain("BASE_URL=https://tributary.example\n");
    expect(stdout).toContain("TRIBUTARY_DATA=/data\n");
    for (const place of ["/opt/tributary/file", "/opt/tributary/dist/file", "/file"]) {
      await expect(box.exec(data, ["touch", place])).rejects.toThrow("Read-only file system");
    }
    await box.exec(data, ["touch", "/tmp/file", "/data/file"]);
  });

  test("the container image records sales, keeps them after a kill, and restores its backup as the guide describes", async () => {
    const data = await newVolume(`${way} data`);
    const first = await startIn(box, data);
    expect(await box.health(data, first.port), first.log()).toBe(0);
    expect(first.log()).toContain(`Ready at https://tributary.example, listening on 0.0.0.0:${first.port}.`);
    await expect.poll(() => readdir(data)).toContain("first-owner.txt");
    const { stdout: link } = await box.exec(data, ["cat", "/data/first-owner.txt"]);
    expect(link).toContain("; tributary invite-owner --data /data makes another");
    const shop = await openShop(first.url, link);
    expect((await sell(first.url, shop, 1)).status).toBe(200);

    const recorded = await killWhileSelling(first, shop);
    expect(recorded.length).toBeGreaterThan(9);

    const second = await startIn(box, data);
    expect(await box.health(data, second.port), second.log()).toBe(0);
    await expectRecorded(second.url, shop, [1, ...recorded]);
    await box.tributary(data, ["backup", "/data/today.tar"]);
    expect((await box.tributary(data, ["audit"])).stdout).toContain("The books are right");
    expect((await sell(second.url, shop, 2)).status).toBe(200);
    await stopped(second);
    expect(await box.health(data, second.port)).toBe(1);

    await box.exec(data, ["sh", "-ec", restoreScript()]);
    const third = await startIn(box, data);
    expect(third.log()).not.toContain("first-owner");
    await expectRecorded(third.url, shop, [1, ...recorded]);
    expect((await sell(third.url, shop, 2)).status).toBe(200);
    await stopped(third);
  });

  test("the container image keeps compiled code in its volume for the next start of each process", async () => {
    const data = await newVolume(`${way} compiled`);
    const service = await startIn(box, data);
    const { pid } = service.child;
    const processes = [pid, ...run("cat", [`/proc/${pid}/task/${pid}/children`]).split(" ")].map((id) => ({
      command: readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0"),
      environment: readFileSync(`/proc/${id}/environ`, "utf8").split("\0"),
    }));
    const scripts = ["scripts/service/serve", "runtime/node/ledger", "runtime/node/desk"];
    for (const script of scripts) {
      const found = processes.find(({ command }) => command.includes(`/opt/tributary/${script}.ts`));
      expect(found?.environment, script).toContain("NODE_COMPILE_CACHE=/data/compiled");
    }
    await stopped(service);
    expect(await readdir(join(data, "compiled"))).toHaveLength(1);
  });

  test("the container image opens a data folder of release 0.1.0, and backs it up first", async () => {
    const data = await newVolume(`${way} earlier`);
    await writeReleasedData(data);
    run("chown", ["-R", `${uid}:${gid}`, data]);
    const service = await startIn(box, data);
    expect(await box.health(data, service.port), service.log()).toBe(0);
    expect(await readdir(join(data, "backups"))).toHaveLength(1);
    await stopped(service);
  });

  test("the container image answers 503 while its disk is full, and loses nothing", async () => {
    await expectFullDiskSurvived(box, { uid, gid });
  });

  // With `runIf`, the test would lose the tag soak.
  const testBuilt = make === build ? test : test.skip;
  testBuilt("the image takes at most 120 MB more than its base", () => {
    const base = buildah("mount", buildah("from", "--pull-never", "base"));
    const image = buildah("mount", buildah("from", "--pull-never", "tributary"));
    const bytesIn = (path: string) => Number(run("du", ["-sbx", path]).split("\t")[0]);
    const more = bytesIn(image) - bytesIn(base);
    console.log(`the image has ${Math.round(more / 1e6)} MB more than its base`);
    expect(more).toBeLessThan(120e6);
  });
});
