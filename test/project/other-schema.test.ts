/** @module-tag soak */
import { createHash } from "node:crypto";
import { glob, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { startSqld } from "../../harness/sqld.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { release } from "../../scripts/build/release.ts";
import { openClient } from "../../scripts/database/client.ts";
import { node, root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { ensureSecrets } from "../../scripts/service/secrets.ts";
import { sampled } from "../support/breadth.ts";
import { nodeEnvironment } from "../support/node-environment.ts";
import { execute, tributary } from "../support/tributary.ts";
import { makeEmptyData } from "./backed-up.ts";
import { serve, start } from "./started.ts";

async function digestsIn(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for await (const entry of glob("**", { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    digests[path] = entry.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : "";
  }
  return digests;
}

/** Creates data whose database was changed by `sql`. */
async function changedData(sql: string): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "tributary-schema-"));
  onTestFinished(() => rm(data, { recursive: true }));
  await makeEmptyData(data);
  await ensureSecrets(join(data, "dev.vars"), false);
  const database = new DatabaseSync(join(data, databaseFile));
  database.exec(sql);
  database.close();
  return data;
}

const edit = "update schema_migrations set hash = 'x'";

const changes = [
  ["edited", edit, "has another schema: its migration 0000_schema isn't"],
  ["unknown", "insert into schema_migrations values ('9999_next', 'x', 1)", "doesn't know the migration 9999_next"],
] as const;

test.each(sampled(changes))(
  "a start on a database with an %s migration explains how to start over, and changes nothing",
  async (_, sql, reason) => {
    const data = await changedData(sql);
    const before = await digestsIn(data);
    const port = await freePort();
    const started = await start({ port, cwd: root, args: ["--data", data] });
    const served = await serve({ data, port });
    expect([await started.exited, await served.exited]).toEqual([1, 1]);
    for (const message of [started.banner, served.errors]) {
      expect(message).toContain(reason);
      expect(message).toContain(release);
      expect(message).toMatch(new RegExp(`To start over, move ${data} away or remove it\\. Nothing was changed\\.\n$`));
      expect(message.trim().split("\n")).toHaveLength(1);
    }
    expect(await digestsIn(data)).toEqual(before);
  },
);

test("a start that lacks the secrets of existing data names the missing secrets, and creates no new ones", async () => {
  const data = await changedData("select 1");
  await rm(join(data, "dev.vars"));
  const { banner, exited } = await start({ port: await freePort(), cwd: root, args: ["--data", data] });
  expect(await exited).toBe(1);
  expect(banner).toContain(
    "dev.vars lacks CLICK_KEYS, HASH_SECRET, AUTH_SECRET, and DATA_KEYS, which the data was created with.",
  );
  expect(await readdir(data)).not.toContain("dev.vars");
});

test("a restore of a database with an edited migration explains how to start over, and changes nothing", {
  tags: "soak",
}, async () => {
  const data = await changedData(edit);
  const [file, restored] = [join(data, "backup.tar"), join(data, "restored")];
  expect(await tributary(["backup", file, "--data", data])).toMatchObject({ code: 0 });
  const before = await digestsIn(data);
  const fact = `The database in ${file} has another schema: its migration 0000_schema isn't that of this version. Schemas are upgraded from release to release, not in between. Restore it with ${release}, which wrote it.`;
  expect(await tributary(["restore", file, "--data", restored])).toEqual({
    code: 1,
    stdout: "",
    stderr: `${fact} To start over, start the service on ${restored}, which is as it was.\n`,
  });
  expect(await tributary(["restore", file, "--verify"])).toEqual({ code: 1, stdout: "", stderr: `${fact}\n` });
  expect(await digestsIn(data)).toEqual(before);
});

test("a deployment to a database with an edited migration explains how to start over, and changes nothing", {
  tags: "soak",
}, async () => {
  const data = await changedData(edit);
  const sqld = await startSqld({ directory: data });
  onTestFinished(() => sqld.kill());
  const rows = async () => (await openClient({ url: sqld.url }).execute("select * from schema_migrations")).rows;
  const before = await rows();
  const made = async (name: string) => {
    await mkdir(join(data, name));
    return join(data, name);
  };
  const [home, build, cloudflare] = [await made("home"), await made("build"), await made("cloudflare")];
  const outcome = await execute(node, ["scripts/release/deploy.ts", "--new-secrets", "--dist", join(data, "dist")], {
    ...{ HOME: home, XDG_CONFIG_HOME: home, TEST_BUILD: build, TEST_CLOUDFLARE: cloudflare },
    ...nodeEnvironment("deploy-preload.ts"),
    ...{ TEST_DATABASE: sqld.url, DATABASE_URL: "libsql://database.test", DATABASE_AUTH_TOKEN: "t" },
  });
  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The database at libsql://database.test has"),
  });
  expect(outcome.stderr).toMatch(/To start over, name an empty database\. Nothing was changed\.\n$/);
  expect(await readFile(join(cloudflare, "calls"), "utf8")).toBe("secret list\n");
  expect(await readdir(home)).toEqual([]);
  expect(await rows()).toEqual(before);
});
