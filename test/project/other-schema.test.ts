import { createHash } from "node:crypto";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { release } from "../../scripts/build/release.ts";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
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

test.each([
  ["edited", "update schema_migrations set hash = 'x'", "has another schema: its migration 0000_schema isn't"],
  ["unknown", "insert into schema_migrations values ('9999_next', 'x', 1)", "doesn't know the migration 9999_next"],
])("a start on a database with an %s migration says how to begin anew, and changes nothing", async (_, sql, reason) => {
  const data = await mkdtemp(join(tmpdir(), "tributary-schema-"));
  onTestFinished(() => rm(data, { recursive: true }));
  await makeEmptyData(data);
  await writeFile(join(data, "dev.vars"), "");
  const database = new DatabaseSync(join(data, databaseFile));
  database.exec(sql);
  database.close();
  const before = await digestsIn(data);
  const port = await freePort();
  const started = await start({ port, cwd: root, args: ["--data", data] });
  const served = await serve({ data, port });
  expect([await started.exited, await served.exited]).toEqual([1, 1]);
  for (const message of [started.banner, served.errors]) {
    expect(message).toContain(reason);
    expect(message).toContain(release);
    expect(message).toMatch(new RegExp(`To begin anew, move ${data} away or remove it\\. Nothing was changed\\.\n$`));
    expect(message.trim().split("\n")).toHaveLength(1);
  }
  expect(await digestsIn(data)).toEqual(before);
});
