import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { execute } from "../support/tributary.ts";
import { makeEmptyData } from "./backed-up.ts";

const secrets = ["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET", "DATA_KEYS"].map(
  (name, i) => `${name}="${name.endsWith("KEYS") ? "1:" : ""}${"abcd"[i]?.repeat(43)}"\n`,
);

test("the guides' commands make and verify a backup, in the guides' layout", async () => {
  const machine = await mkdtemp(join(tmpdir(), "tributary-machine-"));
  onTestFinished(() => rm(machine, { recursive: true }));
  const [current, data] = [join(machine, "opt/tributary/current"), join(machine, "var/lib/tributary")];
  await mkdir(join(current, ".."), { recursive: true });
  await symlink(root, current);
  await mkdir(join(machine, "var/backups"), { recursive: true });
  await makeEmptyData(data);
  await writeFile(join(data, "secrets.env"), secrets.join(""));
  const guides = ["docs/self-hosting.md", "docs/backup.md"].map((name) => readFile(join(root, name), "utf8"));
  const [selfHosting = "", backup = ""] = await Promise.all(guides);
  const here = (text: string) =>
    text.replaceAll(/\/(opt|var)\//g, `${machine}/$1/`).replaceAll(/-[og] tributary |runuser -u tributary -- /g, "");
  const install = /^install -d .*$/m.exec(selfHosting)?.[0] ?? "";
  const cron = /^15 3 \* \* \* tributary (.*)$/m.exec(backup)?.[1]?.replaceAll("\\%", "%") ?? "";
  const block = /## Back up\n\n```sh\n([^`]*)```/.exec(selfHosting)?.[1] ?? "";
  expect(backup).toContain(`\n${install}\n`);
  expect(await execute("sh", ["-ec", here(`${install}\n${cron}`)])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("The books are right"),
  });
  expect(await execute("sh", ["-ec", here(block)])).toMatchObject({ code: 0, stderr: "" });
  const made = await readdir(join(machine, "var/backups/tributary"));
  expect(made.sort()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d\.tar$/), "today.tar"]);
});
