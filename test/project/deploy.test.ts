import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { mintClickId, parseClickKeyRing, readClickId } from "#domain/click-id.ts";
import { type Sqld, startSqld } from "../../harness/sqld.ts";
import { node, root } from "../../scripts/root.ts";
import { isWhole, sampled } from "../support/breadth.ts";
import { nodeEnvironment } from "../support/node-environment.ts";

let home: string;
let sqld: Sqld;
let deployed: Server;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tributary-deploy-"));
  sqld = await startSqld({ directory: join(home, "database") });
  // Responds like the deployed Worker.
  deployed = createServer(({ url }, answer) => answer.writeHead(url === "/readyz" ? 200 : 401).end());
  await new Promise<void>((resolve) => deployed.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  deployed?.close();
  await sqld?.kill();
  await rm(home, { recursive: true, force: true });
});

const deploy = (args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(node, ["scripts/release/deploy.ts", ...args], {
    cwd: root,
    // Without the variables of this machine, so that no account and no database are used.
    env: { ...nodeEnvironment(), HOME: home, NO_COLOR: "1", ...env },
  });

test("a dry run of the deployment builds, and wrangler accepts the configuration", { tags: "soak" }, async () => {
  const { stdout } = await deploy(["--dry-run", "--dist", join(home, "dist")], {
    ...nodeEnvironment("build-preload.ts"),
    TEST_BUILD: isWhole ? "" : inject("buildDirectory"),
    TEST_SDK: JSON.stringify(inject("sdk")),
  });
  for (const name of ["LEDGER (Ledger)", "CLICK_LIMIT", "ASSETS", "DATABASE_URL"])
    expect(stdout).toContain(`env.${name}`);
  // wrangler hides values that are set on its command line. A value from its configuration file would be visible.
  expect(stdout).toContain('env.ADDRESS_FROM ("(hidden)")');
  expect(stdout).toContain("Dry run: built and checked, nothing was sent.");
});

test("a deployment prints what is missing before it does anything", { tags: "soak" }, async () => {
  await expect(deploy([])).rejects.toMatchObject({ stderr: expect.stringContaining("Set DATABASE_URL") });
  const elsewhere = { DATABASE_URL: "http://127.0.0.1:1", DATABASE_AUTH_TOKEN: "t" };
  await expect(deploy([], elsewhere)).rejects.toMatchObject({
    stderr: expect.stringContaining("begins with libsql://"),
  });
});

describe("an address that contains a secret", () => {
  const addresses = ["libsql://db.test?authToken=hunter2", "https://me:hunter2@db.test", "libsql://db.test/#hunter2"];
  const commands = ["release/deploy.ts", "release/deploy.ts --dry-run", "tributary.ts migrate", "tributary.ts audit"];
  test.each(sampled(commands))("an address with a secret is refused and not printed by %s", async (command) => {
    const nth = commands.indexOf(command) % addresses.length;
    for (const DATABASE_URL of isWhole ? addresses : addresses.slice(nth, nth + 1)) {
      const env = { ...nodeEnvironment(), HOME: home, DATABASE_URL, DATABASE_AUTH_TOKEN: "t" };
      const run = promisify(execFile)(node, `scripts/${command}`.split(" "), { cwd: root, env });
      const { code, stdout, stderr } = await run.then(() => ({ code: 0, stdout: "", stderr: "" }), asOutcome);
      expect(code).not.toBe(0);
      expect(stderr).toContain("DATABASE_AUTH_TOKEN");
      expect(stdout + stderr).not.toContain("hunter2");
    }
  });

  test("a token that isn't a valid header value is refused and not printed", { tags: "soak" }, async () => {
    const env = { DATABASE_URL: "libsql://database.test", DATABASE_AUTH_TOKEN: "hunter2\nhunter2" };
    const { stderr } = await deploy([], env).catch(asOutcome);
    expect(stderr).toContain("DATABASE_AUTH_TOKEN must be");
    expect(stderr).not.toContain("hunter2");
  });
});

const asOutcome = ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
  code,
  stdout,
  stderr,
});

const names = ["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET", "DATA_KEYS"] as const;
const databaseToken = "the-token-of-the-database";

/** Creates an operator's machine, and a Cloudflare account without a Worker. */
async function machine() {
  const folder = await mkdtemp(join(home, "machine-"));
  const [cloudflare, temporary] = [join(folder, "cloudflare"), join(folder, "tmp")];
  await mkdir(cloudflare);
  await mkdir(temporary);
  const file = join(folder, "home/.config/tributary/tributary-secrets.env");
  const { port } = deployed.address() as AddressInfo;
  const environment = {
    ...nodeEnvironment("deploy-preload.ts"),
    HOME: join(folder, "home"),
    TMPDIR: temporary,
    NO_COLOR: "1",
    TEST_BUILD: inject("buildDirectory"),
    TEST_CLOUDFLARE: cloudflare,
    TEST_DATABASE: sqld.url,
    DATABASE_URL: "libsql://database.test",
    DATABASE_AUTH_TOKEN: databaseToken,
    BASE_URL: `http://127.0.0.1:${port}`,
  };
  const start = (args: readonly string[], env: Record<string, string>) =>
    spawn(node, ["scripts/release/deploy.ts", "--dist", join(folder, "dist"), ...args], {
      cwd: root,
      env: { ...environment, ...env },
      // Like in a terminal, a signal reaches all child processes.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const read = async (name: string) => JSON.parse(await readFile(join(cloudflare, name), "utf8").catch(() => "{}"));
  return {
    folder,
    file,
    cloudflare,
    environment,
    run: (args: readonly string[] = [], env: Record<string, string> = {}) => outcome(start(args, env)),
    /** Kills the deployment during wrangler's upload. */
    interrupt: async (signal: NodeJS.Signals, args: readonly string[], env: Record<string, string> = {}) => {
      const child = start(args, { ...env, TEST_WRANGLER: "hangs" });
      const ended = outcome(child);
      const hangs = join(cloudflare, "hanging");
      while (!existsSync(hangs) && child.exitCode === null) await delay(20);
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
      await rm(hangs, { force: true });
      return ended;
    },
    kept: async () => parseEnv(await readFile(file, "utf8")),
    worker: (): Promise<Record<string, string>> => read("secrets.json"),
    /** Returns the files with any of these texts, except the secrets file and the account. */
    filesWith: async (texts: readonly string[]) => {
      const files = globSync("**/*", { cwd: folder, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => path !== file && path !== join(cloudflare, "secrets.json"));
      const contents = await Promise.all(files.map(async (path) => [path, await readFile(path, "latin1")] as const));
      return contents.filter(([, content]) => texts.some((text) => content.includes(text))).map(([path]) => path);
    },
  };
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}

const ringOf = (text: string | undefined) => {
  const ring = parseClickKeyRing(text ?? "");
  if (ring === undefined) throw new Error("not a ring of click keys");
  return ring;
};

test("a Worker that isn't ready in time is deployed, and the message has the command for the first owner's link", {
  tags: "soak",
}, async () => {
  const { run } = await machine();
  const BASE_URL = "http://127.0.0.1:9";
  const { code, text } = await run(["--new-secrets"], { BASE_URL, TEST_DELAYS: "none" });
  expect(code).toBe(1);
  expect(text).toContain(`BASE_URL=${BASE_URL} npm run tributary -- invite-owner\n`);
});

describe("the secrets of a deployment", () => {
  test("the secrets of a deployment are written to disk before they are sent, and an interrupted run is resumed", async () => {
    const { run, interrupt, file, kept, worker, filesWith, cloudflare } = await machine();
    const secretsOf = (values: Readonly<Record<string, string | undefined>>) => names.map((name) => values[name] ?? "");

    const killed = await interrupt("SIGKILL", ["--new-secrets"]);
    expect(killed.text).toContain(`New secrets are in ${file}`);
    expect(await worker()).toEqual({});
    const first = await kept();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(first.DATABASE_URL).toBe("libsql://database.test");
    expect(ringOf(first.CLICK_KEYS).signingKeyId).toBe(1);
    for (const value of secretsOf(first)) expect(value.length).toBeGreaterThanOrEqual(43);
    // The secrets are neither in a temporary file nor in the arguments of a process.
    expect(await filesWith([...secretsOf(first), databaseToken])).toEqual([]);

    if (isWhole) await interrupt("SIGINT", ["--new-secrets"]);
    if (isWhole) expect((await run(["--new-secrets"], { TEST_WRANGLER: "fails" })).code).toBe(1);
    expect(await worker()).toEqual({});
    expect(await kept()).toEqual(first);

    const { code, text } = await run();
    expect(text).toContain(`From ${file}: ${names.join(", ")}`);
    expect(code).toBe(0);
    const { DATABASE_URL: _, ...made } = first;
    expect(await worker()).toEqual({ ...made, DATABASE_AUTH_TOKEN: databaseToken });
    expect(await kept()).toEqual(first);
    expect(await filesWith([...secretsOf(first), databaseToken])).toEqual([]);
    expect(await readFile(join(cloudflare, "processes"), "utf8")).toContain("--secrets-file /dev/stdin");
    if (!isWhole) return;
    // Cloudflare has the secrets now, so none are generated and the file isn't needed.
    await rm(file);
    expect((await run(["--new-secrets"])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(await worker()).toEqual({ ...made, DATABASE_AUTH_TOKEN: databaseToken });
  });

  test("click keys are rotated even after an interruption, and old clicks stay valid", { tags: "soak" }, async () => {
    const { run, interrupt, file, kept, worker, cloudflare } = await machine();
    const ring = `1:${Buffer.alloc(32, 1).toString("base64url")}`;
    const others = { HASH_SECRET: "h".repeat(43), AUTH_SECRET: "a".repeat(43), DATA_KEYS: ring };
    await writeFile(join(cloudflare, "secrets.json"), JSON.stringify({ CLICK_KEYS: ring, ...others }));
    const clickId = mintClickId(ringOf(ring), { programId: 1, isTest: false, linkId: 2, at: 3 }, "0123456789abcdef");

    const { code, text } = await run(["--rotate-click-keys"]);
    expect(code).toBe(1);
    expect(text).toContain("the keys in use must be known");
    expect(text).toContain(file);

    // The key ring is only in the environment. The new file must contain it.
    await interrupt("SIGKILL", ["--rotate-click-keys"], { CLICK_KEYS: ring });
    const { CLICK_KEYS: second = "" } = await kept();
    expect(second).toMatch(/^2:[\w-]{43},1:[\w-]{43}$/);
    expect(second.endsWith(`,${ring}`)).toBe(true);
    expect((await worker()).CLICK_KEYS).toBe(ring);

    // A key that may have been sent is never lost, and other lines of the file are kept.
    await writeFile(file, `# of the vault\nHASH_SECRET="${others.HASH_SECRET}"\nexport CLICK_KEYS=${second}\nX=1`);
    expect((await run(["--rotate-click-keys", "--rollout-seconds", "0"])).code).toBe(0);
    const { CLICK_KEYS: third = "" } = await kept();
    expect(third).toMatch(/^3:[\w-]{43},/);
    expect(third.endsWith(`,${second}`)).toBe(true);
    expect(await readFile(file, "utf8")).toBe(
      `# of the vault\nHASH_SECRET="${others.HASH_SECRET}"\nexport CLICK_KEYS="${third}"\nX=1\n`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await worker()).toEqual({ ...others, CLICK_KEYS: third, DATABASE_AUTH_TOKEN: databaseToken });
    expect(readClickId(ringOf(third), clickId)).toEqual({ programId: 1, isTest: false, linkId: 2, at: 3 });

    // A shell with the old key ring in its environment would undo the rotation.
    const stale = await run([], { CLICK_KEYS: ring });
    expect(stale.code).toBe(1);
    expect(stale.text).toContain("CLICK_KEYS in the environment differs");
    expect((await worker()).CLICK_KEYS).toBe(third);
  });

  test("a deployment writes and sends nothing if a secret could be lost or published", { tags: "soak" }, async () => {
    const { run, folder, file, cloudflare, environment } = await machine();
    const ring = `1:${Buffer.alloc(32, 1).toString("base64url")}`;
    const own = join(folder, "own.env");
    await symlink(root, join(folder, "link"));
    await writeFile(own, "");

    const refused = async (args: readonly string[], said: string, env: Record<string, string> = {}) => {
      const { code, text } = await run(args, env);
      expect(text).toContain(said);
      expect(code).toBe(1);
    };
    await refused([], "make them: npm run deploy -- --new-secrets");
    await refused(["--new-secrets", "--rotate-click-keys"], "exclude each other");
    for (const path of ["secrets.env", join(folder, "link/new/secrets.env")])
      await refused(["--new-secrets", "--secrets-file", path], "is inside the repository");
    await refused(["--new-secrets", "--secrets-file", folder], "can't be read");

    await refused(["--new-secrets", "--secrets-file", own], "is not overwritten");
    await writeFile(own, `CLICK_KEYS=${ring}`);
    await refused(["--new-secrets", "--secrets-file", own], "without HASH_SECRET, AUTH_SECRET, and DATA_KEYS");
    await writeFile(own, `DATABASE_URL=libsql://staging.test\nCLICK_KEYS=${ring}`);
    for (const flag of ["--new-secrets", "--rotate-click-keys"])
      await refused([flag, "--secrets-file", own], "with another DATABASE_URL");
    for (const damaged of ["2:short", `${ring},${ring}`, "1"]) {
      await writeFile(own, `CLICK_KEYS=${damaged}`);
      await refused(["--rotate-click-keys", "--secrets-file", own], "CLICK_KEYS in");
    }
    await refused([], "CLICK_KEYS in the environment must be", { CLICK_KEYS: "1" });
    await refused([], "DATA_KEYS in the environment must be", { DATA_KEYS: `1:${"A".repeat(44)}` });
    expect(await readFile(own, "utf8")).toBe("CLICK_KEYS=1");

    await writeFile(`${own}2.new`, "");
    await refused(["--new-secrets", "--secrets-file", `${own}2`], "If no other run is under way, delete it");

    expect(existsSync(file)).toBe(false);
    expect(await readFile(join(environment.TEST_CLOUDFLARE, "calls"), "utf8")).not.toContain("deploy");
    expect(existsSync(join(cloudflare, "secrets.json"))).toBe(false);
  });

  test("secrets are uploaded to Cloudflare with the code, by the real wrangler", { tags: "soak" }, async () => {
    const { run, kept, filesWith } = await machine();
    const uploads: { url: string; body: string }[] = [];
    const missing = /\/(secrets|services\/tributary)$/;
    const results: readonly (readonly [RegExp, object])[] = [
      [/\/deployments$/, { deployments: [] }],
      [/\/assets-upload-session$/, { jwt: "jwt", buckets: [] }],
      [/\/workers\/workers\/tributary$/, { id: "tributary", subdomain: { enabled: true, previews_enabled: false } }],
      [/\/workers\/subdomain$/, { subdomain: "someone" }],
      [/\/scripts\/tributary$/, { id: "tributary", deployment_id: "1", startup_time_ms: 1 }],
    ];
    const api = createServer(async (request, answer) => {
      const url = new URL(request.url ?? "", "http://api").pathname;
      let body = "";
      for await (const chunk of request.setEncoding("latin1")) body += chunk;
      if (request.method === "PUT") uploads.push({ url, body });
      const isMissing = missing.test(url);
      const code = url.endsWith("/secrets") ? 10007 : 10090;
      answer.writeHead(isMissing ? 404 : 200, { "content-type": "application/json" }).end(
        JSON.stringify({
          success: !isMissing,
          errors: isMissing ? [{ code, message: "It does not exist." }] : [],
          messages: [],
          result: results.find(([path]) => path.test(url))?.[1] ?? {},
        }),
      );
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const { port } = api.address() as AddressInfo;
    try {
      const { code, text } = await run(["--new-secrets"], {
        TEST_BUILD: isWhole ? "" : inject("buildDirectory"),
        TEST_CLOUDFLARE: "",
        CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
        CLOUDFLARE_API_TOKEN: "token-of-the-account",
        CLOUDFLARE_ACCOUNT_ID: "0123456789abcdef0123456789abcdef",
        WRANGLER_LOG: "debug",
        WRANGLER_LOG_SANITIZE: "false",
      });
      expect(text).toContain("Ready: ");
      expect(code).toBe(0);
      const secrets = await kept();
      const [upload, ...more] = uploads;
      expect(more).toEqual([]);
      expect(upload?.body).toContain('filename="worker.js"');
      expect(upload?.body).toContain("/sdk.tgz /sdk/tributary-sdk-");
      for (const name of names)
        expect(upload?.body).toContain(JSON.stringify({ name, type: "secret_text", text: secrets[name] }));
      const values = [...names.map((name) => secrets[name] ?? ""), databaseToken];
      expect(await filesWith(values)).toEqual([]);
      for (const value of values) expect(text).not.toContain(value);
    } finally {
      api.close();
    }
  });
});
