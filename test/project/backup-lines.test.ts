import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { execute } from "../support/tributary.ts";
import { makeEmptyData } from "./backed-up.ts";

// Runs the command lines in the operators' guides, with the folders that the guides set up.

const secrets = ["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET", "DATA_KEYS"]
  .map((name, i) => `${name}="${name.endsWith("KEYS") ? "1:" : ""}${"abcd"[i]?.repeat(43)}"\n`)
  .join("");

const selfHosting = readDocument("docs/self-hosting.md");
const backup = readDocument("docs/backup.md");

const blockWith = (text: string) => {
  const block = [selfHosting, backup].flatMap(blocksOf).find((each) => each.text.includes(text));
  if (block === undefined) throw new Error(`no block has ${text}`);
  return block.text;
};

/**
 * Creates a machine with the release in /opt and its command in the path, data in /var/lib, and secrets in a vault.
 * Commands run without systemd and as one user.
 */
async function newMachine() {
  const machine = await mkdtemp(join(tmpdir(), "tributary-machine-"));
  onTestFinished(() => rm(machine, { recursive: true }));
  const at = (path: string) => join(machine, path);
  for (const folder of ["/opt/tributary", "/usr/local/bin", "/var/backups", "/root"])
    await mkdir(at(folder), { recursive: true });
  for (const link of ["1", "current"]) await symlink(root, at(`/opt/tributary/${link}`));
  const command = `#!/bin/sh\nexec "${node}" "${root}/scripts/tributary.ts" "$@"\n`;
  await writeFile(at("/usr/local/bin/tributary"), command, { mode: 0o755 });
  const data = at("/var/lib/tributary");
  await makeEmptyData(data);
  for (const file of [join(data, "secrets.env"), at("/root/secrets.env")]) await writeFile(file, secrets);
  const here = (lines: string) =>
    lines
      .replaceAll(/(?<=[ "=])\/(opt|usr\/local|var|root)\//g, `${machine}/$1/`)
      .replaceAll(/-[og] tributary |runuser -u tributary -- /g, "")
      .replaceAll(/^(systemctl|chown) .*$/gm, "");
  const path = { PATH: `${at("/usr/local/bin")}:${process.env.PATH}` };
  return { at, data, run: (lines: string) => execute("sh", ["-ec", here(lines)], path) };
}

const install = /^install -d .*\n/m.exec(selfHosting)?.[0] ?? "";
const backUp = blockWith("today.tar --data /var/lib/tributary\n");

test("the commands in the guides create and verify a backup", { tags: "soak" }, async () => {
  const { at, run } = await newMachine();
  const cron = /^15 3 \* \* \* tributary (.*)$/m.exec(backup)?.[1]?.replaceAll("\\%", "%") ?? "";
  expect(backup).toContain(`\n${install}`);
  expect(await run(install + cron)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("The books are right"),
  });
  expect(await run(backUp)).toMatchObject({ code: 0, stderr: "" });
  const made = await readdir(at("/var/backups/tributary"));
  expect(made.sort()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d\.tar$/), "today.tar"]);
});

const uses = [
  ["restore a backup", "tributary-before", "/var/backups/tributary/today.tar"],
  ["roll back an upgrade", "/backups/<file>", "/var/lib/tributary/backups/old.tar"],
] as const;

test.each(uses)("the commands in the guides %s", { tags: "soak" }, async (_, text, archive) => {
  const { at, data, run } = await newMachine();
  expect(await run(install + backUp)).toMatchObject({ code: 0 });
  await mkdir(dirname(at(archive)), { recursive: true });
  const made = at("/var/backups/tributary/today.tar");
  if (made !== at(archive)) await copyFile(made, at(archive));
  await writeFile(join(data, "later"), "");
  expect(await run(blockWith(text).replace("<file>", "old.tar"))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${data} is as the service was at`),
  });
  const restored = await readdir(data);
  expect(restored).toEqual(expect.arrayContaining(["secrets.env", "sqld"]));
  expect(restored).not.toContain("later");
  expect(await readFile(join(data, "secrets.env"), "utf8")).toBe(secrets);
});

test("the guides' commands restore a backup as root to /var/lib/tributary, and then give this folder to the service's user", () => {
  // Only root may write to /var/lib, where the restored folder is renamed.
  for (const text of ["tributary-before", "/backups/<file>"]) {
    const lines = blockWith(text);
    expect(lines).not.toContain("runuser");
    expect(lines).toMatch(/restore .*--data \/var\/lib\/tributary .*\nchown -R tributary: \/var\/lib\/tributary\n/);
  }
});
