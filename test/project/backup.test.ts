import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import type { Database } from "#store/database.ts";
import { createApi } from "../../harness/client.ts";
import { writeArchive } from "../../scripts/backup/archive.ts";
import { backUpBeforeMigrations } from "../../scripts/backup/before-migrations.ts";
import { databaseFile, objectsFolder } from "../../scripts/backup/data-paths.ts";
import { extract, openBackup } from "../../scripts/backup/open-backup.ts";
import { restoreBackup } from "../../scripts/backup/restore-backup.ts";
import { readState } from "../../scripts/backup/snapshot.ts";
import { ExplainedError } from "../../scripts/command.ts";
import { openStore } from "../../scripts/database/client.ts";
import { migrationNames } from "../../scripts/database/migrate.ts";
import { node, root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { tarChecksum, tarHeader } from "../../sdk/tar.ts";
import { Answers, expectOnce, knownTo, traffic } from "../faults/traffic.ts";
import { isWhole } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { execute, tributary } from "../support/tributary.ts";
import { expectHeld, expectNoSecrets, keptClicks, makeEmptyData, openService, runWithoutRoom } from "./backed-up.ts";
import { lockDatabase, type Started, start as startIn, stop } from "./started.ts";

let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-backup-"));
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = async (data: string): Promise<Started> => {
  const port = await freePort();
  return startIn({ port, cwd: root, args: ["--data", data], onSpawn: (child) => running.push(child) });
};

const clock = { now: () => Date.now(), sleep: (ms: number) => delay(ms), random: () => 0.5 };

test("a restored service has all data confirmed before the backup, deduplicates repeated calls, and refuses writers from before the restore", async () => {
  const [data, restored] = [join(folder, "data"), join(folder, "restored")];
  const service = await start(data);
  expect(service.banner).toContain("Tributary is ready");

  const own = await knownTo(service.url, await openService(service, data));
  // The day's visitor key identifies the same visitor after the restore.
  const visit = { affiliate_url: own.partner.landingUrl, program_id: own.programId, event_id: "e0", session_id: "s" };
  expect(await createApi(service.url).click(visit)).toMatchObject({ status: 200 });
  const size = { customers: 15, everyMs: 80 };
  const answers = new Answers();
  const calling = traffic(own, [service.url], size, answers);
  await eventually(
    async () => answers.refunds.size,
    (n) => n >= 5,
  );
  const [underLoad, away] = [join(folder, "under-load.tar"), join(folder, "away.tar")];
  const beforeLoad = structuredClone(answers);
  if (isWhole) expect(await tributary(["backup", underLoad, "--data", data])).toMatchObject({ code: 0, stderr: "" });

  const unlock = await lockDatabase(data);
  const extra = await createApi(service.url).click({ ...visit, event_id: `e${size.customers}` });
  expect(extra.status).toBe(200);
  const before = structuredClone(answers);
  before.clicks.set(`e${size.customers}`, extra.body.click_id);
  const kept = await keptClicks(data);
  expect(kept).toBeGreaterThan(0);
  expect(await tributary(["backup", away, "--data", data])).toMatchObject({ code: 0, stderr: "" });
  await unlock();
  await calling;
  await expectHeld(before, away, join(folder, "away"));
  if (isWhole) {
    await expectHeld(beforeLoad, underLoad, join(folder, "under-load"));
    const verified = await tributary(["restore", "--verify", underLoad]);
    expect(verified.stdout).toMatch(/The books are right: \d+ checks\.\n$/);
  }

  expect((await stat(away)).mode & 0o777).toBe(0o600);
  await expectNoSecrets(away, data);

  // These writes come after the backup.
  let reached = openStore(own.database);
  const wherever: Database = {
    read: (statements) => reached.read(statements),
    write: (statements) => reached.write(statements),
    roundTrips: 0,
  };
  const stale = new FencedWriter(wherever, clock);
  const { epoch } = await stale.claim();
  await stop(service.child);

  const secrets = join(data, "dev.vars");
  const done = await tributary(["restore", away, "--data", restored, "--secrets-file", secrets]);
  expect(done).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`dev.vars fit.`) });
  expect((await stat(restored)).mode & 0o777).toBe(0o700);
  expect(readState(join(restored, databaseFile)).writer?.epoch).toBeGreaterThan(epoch);
  expect(await keptClicks(restored)).toBeGreaterThanOrEqual(kept);

  const second = await start(restored);
  const again = { ...(await openService(second, restored)), key: own.key };
  reached = openStore(again.database);
  await expect(stale.write([{ sql: "update programs set name = 'stale'", args: [] }])).rejects.toThrow("writer");

  const repeated = { customers: size.customers + 1, everyMs: 5 };
  await expectOnce(again, [await traffic(again, [second.url], repeated)]);
  const clicks = await again.rows("select event_id, click_id from clicks where not is_test");
  const found = new Map(clicks.map((row) => [row.event_id, row.click_id]));
  for (const [event, id] of before.clicks) expect(found.get(event), event).toBe(id);
});

describe("a backup", () => {
  let data: string;
  let target: string;
  let file: string;

  beforeAll(async () => {
    data = join(folder, "unused");
    await makeEmptyData(data);
    const secrets = `CLICK_KEYS="1:${"a".repeat(43)}"\nHASH_SECRET="${"b".repeat(43)}"\nAUTH_SECRET="${"c".repeat(43)}"\nDATA_KEYS="1:${"e".repeat(43)}"\n`;
    await writeFile(join(data, "dev.vars"), secrets);
    target = join(folder, "target");
    await mkdir(target);
    const small = join(folder, "small");
    await makeEmptyData(small);
    await cp(join(data, "dev.vars"), join(small, "dev.vars"));
    file = join(folder, "small.tar");
    expect(await tributary(["backup", file, "--data", small])).toMatchObject({ code: 0 });
  });

  /** Starts a backup that has to wait for the Ledger's storage, which is copied first. `release` ends the wait. */
  async function beginBackup(own: string, to: string) {
    await makeEmptyData(own);
    const object = join(own, objectsFolder, "a-Ledger/b.sqlite");
    await mkdir(join(object, ".."), { recursive: true });
    const storage = new DatabaseSync(object);
    storage.exec("create table clicks (id integer primary key); begin exclusive");
    const child = spawn(node, ["scripts/tributary.ts", "backup", to, "--data", own], { cwd: root });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await eventually(
      () => readdir(join(to, ".."), { recursive: true }),
      (names) => names.some((name) => name.includes(".partial-") && name.endsWith("a-Ledger")),
    );
    return { child, exited, release: () => storage.close() };
  }

  test.each(["SIGINT", "SIGKILL"] as const)("a backup ended by %s leaves no file", { tags: "soak" }, async (signal) => {
    const { child, exited, release } = await beginBackup(join(folder, signal), join(target, "b.tar"));
    child.kill(signal);
    release();
    await exited;
    const left = await readdir(target);
    expect(left).not.toContain("b.tar");
    if (signal === "SIGINT") expect(left).toEqual([]);
    for (const name of left) await rm(join(target, name), { recursive: true });
  });

  test("a backup copies the database after the Ledger's storage", async () => {
    const [own, backup, extracted] = [join(folder, "ordered"), join(target, "ordered.tar"), join(folder, "extracted")];
    const { exited, release } = await beginBackup(own, backup);
    const database = new DatabaseSync(join(own, databaseFile));
    database.exec("create table later (id integer primary key)");
    database.close();
    release();
    expect(await exited).toBe(0);

    await extract(await openBackup(backup), extracted);
    const copy = new DatabaseSync(join(extracted, databaseFile));
    expect(copy.prepare("select count(*) as n from later").get()).toEqual({ n: 0 });
    copy.close();
    await rm(backup);
  });

  test("a backup leaves nothing behind if space is lacking, and explains why", { tags: "soak" }, async () => {
    const failed = await runWithoutRoom(data, "scripts/tributary.ts", "backup", join(target, "b.tar"), "--data", data);
    expect(failed).toEqual({
      code: 1,
      stdout: "",
      stderr: `${join(target, "b.tar")} can't be written: there is no room in ${target}.\n`,
    });
    expect(await readdir(target)).toEqual([]);
  });

  test("migrations run only after a backup, and the newest three are kept", { tags: "soak" }, async () => {
    const own = join(folder, "upgraded");
    await makeEmptyData(own);
    const object = "worker/objects/ledger/one.sqlite";
    await mkdir(join(own, "worker/objects/ledger"), { recursive: true });
    const kept = new DatabaseSync(join(own, object));
    kept.exec("create table kept_clicks (id integer primary key)");
    kept.close();
    const next = [...migrationNames(), "9999_next"];
    const upgrade = [
      "--input-type=module",
      "--eval",
      `import { backUpBeforeMigrations } from "${join(root, "scripts/backup/before-migrations.ts")}";
       await backUpBeforeMigrations(${JSON.stringify(own)}, ${JSON.stringify(next)});`,
    ];
    const made = () => readdir(join(own, "backups"));
    const full = await runWithoutRoom(own, ...upgrade);
    expect(full.stderr).toContain("Nothing was migrated: the data could not be backed up before.");
    expect(await made()).toEqual([]);
    const all: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      await backUpBeforeMigrations(own, next);
      all.push(...(await made()).filter((name) => !all.includes(name)));
    }
    expect(all).toHaveLength(4);
    expect(await made()).toEqual(all.slice(1));
    const { manifest } = await openBackup(join(own, "backups", all.at(-1) ?? ""));
    expect(manifest.files.map(({ path }) => path)).toContain(object);
    await backUpBeforeMigrations(own);
    expect(await made(), "nothing to migrate").toEqual(all.slice(1));
  });

  const rewritten = async (name: string, change: (manifest: Record<string, unknown>) => object) => {
    const { manifest } = await openBackup(file);
    const text = Buffer.from(JSON.stringify(change(manifest)));
    const changed = join(folder, name);
    await writeArchive(changed, [{ path: "manifest.json", bytes: text.length, read: () => [text] }], new Date(0));
    return changed;
  };
  const spoiled = async (name: string, spoil: (bytes: Buffer) => Buffer) => {
    await writeFile(join(folder, name), spoil(await readFile(file)));
    return join(folder, name);
  };

  test("an invalid backup is refused with one line of output, and nothing is written", async () => {
    const { release } = (await openBackup(file)).manifest;
    const late = await rewritten("late.tar", (manifest) => ({ ...manifest, migrations: ["0000_schema", "9999_late"] }));
    const later = await rewritten("later.tar", (manifest) => ({ ...manifest, formatVersion: 2 }));
    const flipped = await spoiled("flipped.tar", (bytes) =>
      bytes.fill(0xff, bytes.length - 20_000, bytes.length - 19_990),
    );
    const cut = await spoiled("cut.tar", (bytes) => bytes.subarray(0, bytes.length - 20_000));
    const header = await spoiled("header.tar", (bytes) => bytes.fill("x", 0, 3));
    const negative = await spoiled("negative.tar", (bytes) => {
      const at = bytes.length - 1_024 - 512;
      const block = tarHeader({ path: "more", bytes: 0, mode: 0o600, mtime: 0 });
      block.write("-0000001000", 124);
      block.write(tarChecksum(block).toString(8).padStart(6, "0"), 148);
      return Buffer.concat([bytes.subarray(0, at + 512), block, bytes.subarray(at + 512)]);
    });
    const huge = await rewritten("huge.tar", (manifest) => ({ ...manifest, padding: "x".repeat(1_000_000) }));
    const text = await spoiled("text.tar", () => Buffer.from("no backup"));
    const refusals = [
      [join(folder, "none.tar"), "does not exist."],
      [folder, "is not a file."],
      [text, "is not a backup of this service."],
      [header, "is not a backup of this service."],
      [cut, "is damaged: it is not whole."],
      [negative, "is damaged: it is not whole."],
      [huge, "is not a backup of this service."],
      [flipped, `is damaged: ${databaseFile} is not what was backed up.`],
      [
        late,
        `is of a later release (${release}): its database has the migration 9999_late, which this one lacks. Restore it with that one.`,
      ],
      [later, "was written by a later release. Restore it with that one."],
    ] as const;
    const place = join(folder, "nothing");
    const restore = async (backup: string) =>
      restoreBackup(await openBackup(backup), { data: place, secrets: undefined });
    for (const [backup, message] of refusals) {
      await expect(restore(backup), message).rejects.toThrow(new ExplainedError(`${backup} ${message}`));
    }
    for (const args of [["--data", place], ["--verify"]]) {
      const stderr = `${flipped} is damaged: ${databaseFile} is not what was backed up.\n`;
      expect(await tributary(["restore", flipped, ...args])).toEqual({ code: 1, stdout: "", stderr });
    }
    expect((await readdir(folder)).filter((name) => name.startsWith("nothing"))).toEqual([]);
  });

  test("a restore needs an empty folder, and reports if the secrets are the backup's", { tags: "soak" }, async () => {
    const place = join(folder, "place");
    const [good, other] = [join(data, "dev.vars"), join(folder, "other.vars")];
    await writeFile(other, (await readFile(good, "utf8")).replace("b".repeat(43), "B".repeat(43)));
    const [wrong, full] = await Promise.all([
      tributary(["restore", file, "--data", place, "--secrets-file", other]),
      tributary(["restore", file, "--data", data]),
    ]);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("HASH_SECRET missing or different") });
    expect(full).toMatchObject({
      code: 1,
      stderr: `${data} is not empty. Stop the service that uses it, move the folder away, and run again.\n`,
    });
    await mkdir(place);
    const { code, stdout } = await tributary(["restore", file, "--data", place]);
    expect(code).toBe(0);
    expect(stdout).toContain("put the CLICK_KEYS, HASH_SECRET, AUTH_SECRET, DATA_KEYS of the one that was backed up");
    expect(stdout).toContain(` into ${join(place, "dev.vars")}, where they are missing`);
    expect(await readdir(place)).toEqual(["sqld"]);

    const rotated = join(folder, "rotated.vars");
    await writeFile(rotated, (await readFile(good, "utf8")).replace('"1:', `"2:${"d".repeat(43)},1:`));
    const fit = await tributary(["restore", file, "--data", join(folder, "fit"), "--secrets-file", rotated]);
    expect(fit).toMatchObject({ code: 0, stdout: expect.stringContaining("fit.\n") });
    expect((await stat(join(folder, "fit/dev.vars"))).mode & 0o777).toBe(0o600);
  });

  test("a backup replaces a file only with --force, and rejects wrong arguments", { tags: "soak" }, async () => {
    const existing = join(folder, "existing.tar");
    await writeFile(existing, "kept");
    const small = ["--data", join(folder, "small")];
    const refusals = [
      [["backup", existing, ...small], `${existing} exists. Name another file, or replace it: --force\n`],
      [["backup", folder, ...small], `${folder} is a folder. Name a file.\n`],
      [
        ["backup", join(folder, "n.tar"), "--data", target],
        `${target} is not the data folder of a service: it has no ${databaseFile}.\n`,
      ],
      [["backup", join(folder, "no/where.tar"), ...small], `The folder ${join(folder, "no")} doesn't exist.\n`],
      [
        ["backup", join(folder, "n.tar"), ...small, "--secrets-file", folder],
        expect.stringContaining(`${folder} can't be read: EISDIR`),
      ],
    ] as const;
    const usages = [
      [["backup"], "Name the file"],
      [["backup", existing, "another"], 'Unexpected argument "another".'],
      [["backup", existing, "--all"], "Unknown flag --all."],
      [["restore"], "Name the file"],
      [["restore", existing, "--verify", "--data", target], "--verify restores nothing"],
    ] as const;
    await Promise.all([
      ...refusals.map(async ([args, stderr]) =>
        expect(await tributary(args), args.join(" ")).toEqual({ code: 1, stdout: "", stderr }),
      ),
      ...usages.map(async ([args, reason]) =>
        expect(await tributary(args), args.join(" ")).toEqual({
          code: 2,
          stdout: "",
          stderr: expect.stringMatching(new RegExp(`^${reason}.*\nSee: npm run tributary -- ${args[0]} --help\n$`)),
        }),
      ),
    ]);
    expect(await readFile(existing, "utf8")).toBe("kept");
    expect(await tributary(["backup", existing, ...small, "--force"])).toMatchObject({ code: 0 });
    await extract(await openBackup(existing), join(folder, "existing"));
    const listed = await execute("tar", ["-tf", existing]);
    expect(listed.stdout.split("\n")).toEqual(["manifest.json", databaseFile, ""]);
  });
});
