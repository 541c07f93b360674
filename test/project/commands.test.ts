import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { dataFolder, secretsFileOf } from "../../scripts/backup/data-paths.ts";
import { node, root } from "../../scripts/root.ts";
import { sampled } from "../support/breadth.ts";
import { tributary, tributaryProcess } from "../support/tributary.ts";

// vitest ignores a path without tests if another path has some.
test("each test path in the script npm run check contains tests", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const paths: string[] = scripts.check.match(/\btest\/[\w/-]+/g);
  expect(paths.length).toBeGreaterThan(5);
  const tests = globSync("test/**/*.test.ts", { cwd: root });
  expect(paths.filter((path) => !tests.some((file) => file.startsWith(path)))).toEqual([]);
});

test.each(
  sampled(
    [
      ["audit"],
      ["after-restore"],
      ["invite-owner"],
      ["migrate"],
      ["spill"],
      ["reset-password", "owner@shop.example"],
      ["rotate-data-keys"],
    ],
    2,
  ),
)("npm run tributary -- %s prefers --data to DATABASE_URL", async (...args) => {
  const env = { DATABASE_URL: "http://127.0.0.1:1", BASE_URL: "", DATA_KEYS: `1:${"A".repeat(43)}` };
  const outcome = await tributary([...args, "--data", "no-such-folder"], env);
  expect(outcome).toEqual({ code: 3, stdout: "", stderr: "No service runs here on no-such-folder. Start it first.\n" });
});

test("a relative data folder is resolved in the current folder, and the default folder .data is the one in the project", () => {
  const current = vi.spyOn(process, "cwd").mockReturnValue("/elsewhere");
  vi.stubEnv("TRIBUTARY_DATA", "");
  onTestFinished(() => {
    current.mockRestore();
    vi.unstubAllEnvs();
  });
  expect(dataFolder("data")).toBe("/elsewhere/data");
  expect(dataFolder()).toBe(join(root, ".data"));
  vi.stubEnv("TRIBUTARY_DATA", "own");
  expect(dataFolder()).toBe("/elsewhere/own");
  expect(secretsFileOf("/elsewhere/data")).toBe("/elsewhere/data/secrets.env");
});

test("npm run tributary describes its commands, suggests the nearest one, and reports which flag is wrong", async () => {
  const { code, stdout } = await tributaryProcess(["--help"]);
  expect(code).toBe(0);
  const names = globSync("*.ts", { cwd: join(root, "scripts/operate") }).map((file) => file.replace(".ts", ""));
  const described = [...stdout.matchAll(/^ {2}([\w-]+) {2,}\w/gm)].map(([, name]) => name);
  expect(described.toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    const { help, run } = await import(`../../scripts/operate/${name}.ts`);
    expect(help).toContain(`npm run tributary -- ${name} `);
    const hint = name === "mail" ? "" : " Did you mean --data?";
    await expect(run(["--dta", "x"])).rejects.toThrow(`Unknown flag --dta.${hint}`);
  }
  const help = await tributary(["audit", "--help"]);
  expect(help).toEqual({ code: 0, stdout: expect.stringContaining("Only reads."), stderr: "" });
  const wrong = `Unexpected argument "x".\nSee: '/opt/own tools/tributary' audit --help\n`;
  const spaced = { OPERATOR_COMMAND: "/opt/own tools/tributary" };
  expect(await tributaryProcess(["audit", "x"], spaced)).toEqual({ code: 2, stdout: "", stderr: wrong });
  const unknown = (reason: string) => ({
    code: 2,
    stdout: "",
    stderr: `${reason}\nSee: npm run tributary -- --help\n`,
  });
  expect(await tributary(["bakup"])).toEqual(unknown('Unknown command "bakup". Did you mean backup?'));
  expect(await tributary([])).toEqual(unknown("No command given."));
});

test("npm run tributary reports a malformed setting in one line", async () => {
  const outcome = await tributary(["mail", "test", "ada@example.com"], {
    SMTP_URL: "",
    MAIL_FROM: "shop@shop.example",
  });
  const fault = "MAIL_FROM is set without SMTP_URL, the server that sends the emails.";
  expect(outcome).toEqual({ code: 2, stdout: "", stderr: `${fault}\nSee: npm run tributary -- mail --help\n` });
});

test("npm run tributary -- migrate requires its database to be specified", async () => {
  const outcome = await tributary(["migrate"], { DATABASE_URL: "" });
  expect(outcome).toEqual({ code: 1, stdout: "", stderr: "Set DATABASE_URL, or use --data.\n" });
});

test("npm run tributary reports that a database is unreachable", { tags: "soak" }, async () => {
  const outcome = await tributary(["migrate"], { DATABASE_URL: "http://127.0.0.1:9" });
  expect(outcome).toMatchObject({ code: 3, stderr: expect.stringMatching(/^The database can't be reached: .*\n$/) });
});

test.each(["service/start", "release/deploy"])(
  "scripts/%s.ts answers an unknown option with its usage, and does nothing",
  { tags: "soak" },
  async (name) => {
    await expect(promisify(execFile)(node, [`scripts/${name}.ts`, "--help"], { cwd: root })).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^Usage: npm (run )?\w+ -- \[.*\]\n$/),
    });
  },
);
