import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { node, root } from "../../scripts/root.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tributary-deploy-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const deploy = (args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(node, ["scripts/deploy.ts", ...args], {
    cwd: root,
    // Nothing of the machine's own: no account, no database.
    env: { PATH: process.env.PATH, HOME: home, NO_COLOR: "1", ...env },
  });

test("a dry run builds, and wrangler accepts the configuration", async () => {
  const { stdout } = await deploy(["--dry-run", "--dist", join(home, "dist")]);
  for (const name of ["LEDGER (Ledger)", "CLICK_LIMIT", "ASSETS", "DATABASE_URL"])
    expect(stdout).toContain(`env.${name}`);
  expect(stdout).toContain("Dry run: built and checked, nothing was sent.");
});

test("says what is missing before it does anything", async () => {
  await expect(deploy([])).rejects.toMatchObject({ stderr: expect.stringContaining("Set DATABASE_URL") });
  const elsewhere = { DATABASE_URL: "http://127.0.0.1:1", DATABASE_AUTH_TOKEN: "t" };
  await expect(deploy([], elsewhere)).rejects.toMatchObject({
    stderr: expect.stringContaining("begins with libsql://"),
  });
});
