import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { shellWord } from "../../scripts/command.ts";
import { openClient } from "../../scripts/database/client.ts";
import { node, root } from "../../scripts/root.ts";
import { rotateLog } from "../../scripts/service/logs.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { cloneInto, digest } from "../support/clone.ts";
import { blocksOf, patternOf, readDocument } from "../support/documents.ts";
import { integratorWithSdk } from "../support/integrator.ts";
import { familyOf, portsOf } from "../support/listeners.ts";
import { tributary } from "../support/tributary.ts";
import { expectKeptNowhere, keepBusy, type Marks } from "./kept.ts";
import { type Started, servingPid, start as startIn, stop } from "./started.ts";
import { secretPaths, tryPorts } from "./try-ports.ts";

let folder: string;
let data: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-start-"));
  // Modules of the build in the data folder have their own type.
  await writeFile(join(folder, "package.json"), '{"type":"commonjs"}');
  data = join(folder, "data");
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the service. It ends with the test. */
const start = (
  port: number,
  cwd = root,
  args = ["--data", data],
  limits: "on" | "off" = "off",
  env: Readonly<Record<string, string>> = {},
): Promise<Started> => startIn({ port, cwd, args, limits, env, onSpawn: (child) => running.push(child) });

const answers = async (url: string) => (await fetch(`${url}/healthz`).catch(() => undefined))?.status;
const keyIn = (banner: string) => /svc_\w+/.exec(banner)?.[0];

async function signInBy({ banner, url }: Started): Promise<Response> {
  const [, email, password] = /Sign in as: +(\S+), password (\S+)/.exec(banner) ?? [];
  return fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
}

const startMonitored = async () => {
  const monitoring = { METRICS_PORT: String(metricsPort), MIN_FREE_DISK_MB: "1" };
  return start(await freePort(), root, ["--data", data], "on", monitoring);
};

const commandsIn = ({ banner }: Started) => banner.split("\n").filter((line) => line.includes("curl "));

/** Matches the answers in the README, where `…` stands for ids and times. */
function answersInReadme(): unknown[] {
  const answers = blocksOf(readDocument("README.md")).find(({ language }) => language === "text")?.text ?? "";
  return answers
    .replaceAll(/\n +/g, "")
    .trim()
    .split("\n")
    .map((line) => expect.stringMatching(patternOf(line.slice(line.indexOf("{")))));
}

let firstStart: Started;
let metricsPort: number;

test("npm start prints commands for click, lead, sale, refund and verification that run unchanged, and signs its owner in", async () => {
  metricsPort = await freePort();
  firstStart = await startMonitored();
  const lines = commandsIn(firstStart);
  expect(lines).toHaveLength(4);
  const { stdout } = await promisify(execFile)("sh", ["-c", [...lines, lines[0]].join("\n")]);
  const replies = stdout.trim().split("\n");
  expect(replies.slice(0, 4)).toEqual(answersInReadme());
  expect(replies[4], "the click, sent again").toBe(replies[0]);

  const [, newestSdk = ""] = /in your own project, .* npm install (\S+)/.exec(firstStart.banner) ?? [];
  const integrator = await integratorWithSdk(newestSdk);
  onTestFinished(integrator.dispose);
  const verify = firstStart.banner.split("\n").find((line) => /\/tributary-sdk'? verify$/.test(line));
  const command = join(root, "node_modules/.bin/tributary-sdk");
  expect(verify).toContain(` ${shellWord(command)} `);
  expect(existsSync(command)).toBe(true);
  // The clone's own package may not be built.
  const installed = (verify ?? "").replace(shellWord(command), "node_modules/.bin/tributary-sdk");
  const verified = (await integrator.shell(installed)).trim().split("\n").at(-1);
  expect(verified).toMatch(/^Attributed\./);
  expect(await readFile(join(root, "README.md"), "utf8")).toContain(verified);
  expect(firstStart.banner).toMatch(/^Starting Tributary\. The first start also creates the demo data …\n/);

  const signedIn = await signInBy(firstStart);
  expect(signedIn.status).toBe(200);
  const cookies = signedIn.headers.getSetCookie();
  expect(cookies).toHaveLength(2);
  const cookie = cookies.map((text) => text.split(";")[0]).join("; ");
  const mail = await fetch(`${firstStart.url}/api/notifications`, { headers: { cookie } });
  expect(await mail.json()).toMatchObject({ data: { all: "by_role", state: "on" } });
  for (const file of ["demo.json", "dev.vars"]) expect((await stat(join(data, file))).mode & 0o777).toBe(0o600);

  const elsewhere = await start(await freePort());
  expect(await elsewhere.exited).toBe(1);
  expect(elsewhere.banner).toContain(`It is running already, at ${firstStart.url}`);

  if (isWhole) {
    firstStart.child.kill("SIGINT");
    expect(await firstStart.exited).toBe(0);
    expect(await answers(firstStart.url)).toBeUndefined();
  }
  // Otherwise the first service keeps running for the tests below.
  else running.splice(0);
});

/** Loads the dashboard's page and everything that it requests at once. */
async function load(url: string): Promise<Record<string, { status: number; bytes: number; digest: string }>> {
  const get = async (path: string) => {
    const answer = await fetch(url + path);
    const text = await answer.text();
    return { text, told: [path, { status: answer.status, bytes: text.length, digest: digest(text) }] as const };
  };
  const page = await get("/app/");
  const parts = [...page.text.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path = ""]) => get(path));
  return Object.fromEntries([page, ...(await Promise.all(parts))].map(({ told }) => told));
}

test("npm start serves its own build while others build in the folder, and serves the new build after the next start", {
  tags: "soak",
}, async () => {
  const clone = await cloneInto(join(data, "a clone"));
  const build = () => promisify(execFile)(node, ["scripts/build/build.ts"], { cwd: clone });
  const first = await start(await freePort(), clone, []);
  expect(first.banner).toContain("Tributary is ready");
  const family = String(await familyOf(first.child.pid ?? 0));
  const { stdout: commands } = await promisify(execFile)("ps", ["-ww", "-o", "args=", "-p", family]);
  expect(commands).toContain("runtime/node/ledger.ts");
  // A build process uses 180 MB as long as it runs, so it must have ended.
  expect(commands).not.toContain("esbuild");
  const loaded = await load(first.url);
  expect(Object.keys(loaded).length).toBeGreaterThan(2);
  for (const { status, bytes } of Object.values(loaded)) {
    expect(status).toBe(200);
    expect(bytes).toBeGreaterThan(0);
  }

  const audit = await promisify(execFile)(node, ["scripts/tributary.ts", "audit"], { cwd: clone });
  expect(audit.stdout).toContain("The books are right");

  await appendFile(join(clone, "dashboard/src/main.tsx"), '\ndocument.title = "Changed";\n');
  let areBuilding = true;
  const builds = Promise.all([build(), build()]).finally(() => {
    areBuilding = false;
  });
  const whileBuilding = async () => {
    while (areBuilding) {
      expect(await load(first.url)).toEqual(loaded);
      expect(await answers(first.url)).toBe(200);
    }
  };
  await Promise.all([builds, whileBuilding()]);
  expect(await load(first.url)).toEqual(loaded);
  first.child.kill("SIGINT");
  await first.exited;

  const second = await start(await freePort(), clone, []);
  const changed = await load(second.url);
  for (const { status } of Object.values(changed)) expect(status).toBe(200);
  expect(changed).not.toEqual(loaded);
  // A page that stayed open can still load its files.
  for (const path of Object.keys(loaded)) expect((await fetch(second.url + path)).status, path).toBe(200);
});

test("npm start reports that the port is in use", { tags: "soak" }, async () => {
  const { createServer } = await import("node:net");
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  try {
    const refused = await start(port);
    expect(await refused.exited).toBe(1);
    expect(refused.banner).toContain(`Port ${port} is in use`);
  } finally {
    server.close();
  }
});

describe("npm start while it runs", () => {
  const newVisitor = isolatedBrowser();
  let service: Started;
  let marks: Marks;

  beforeAll(async () => {
    service = isWhole ? await startMonitored() : firstStart;
    // The service outlives the first test of this block.
    running.splice(0);
    return () => stop(service.child);
  });

  const told = async () => JSON.parse(await readFile(join(data, "running.json"), "utf8")) as Record<string, string>;
  const openedDatabase = async () => {
    const { databaseUrl: url = "", databaseAuthToken: authToken = "" } = await told();
    return openClient({ url, authToken });
  };

  test("npm start continues with the data of the last start", { tags: "soak" }, async () => {
    const measured = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await expect.poll(measured).toContain("\ntributary_disk_min_free_bytes 1000000\n");
    expect(keyIn(service.banner)).toBe(keyIn(firstStart.banner));
    expect((await signInBy(service)).status).toBe(200);
    const again = commandsIn(firstStart).join("\n").replaceAll(firstStart.url, service.url);
    const repeated = (await promisify(execFile)("sh", ["-c", again])).stdout.trim().split("\n");
    // The sale of the first start still exists.
    expect(JSON.parse(repeated[2] ?? "")).toMatchObject({ error: { status: 409 } });
  });

  test("npm start lets only the user who ran it read the data folder and the file with the service's address", async () => {
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect((await stat(join(data, "running.json"))).mode & 0o777).toBe(0o600);
    expect((await (await openedDatabase()).execute("select count(*) as n from users")).rows[0]?.n).toBe(2);
  });

  test("npm start can be reached by its operator's commands", async () => {
    const done = await tributary(["spill", "--data", data], { BASE_URL: "" });
    expect(done).toEqual({ code: 0, stdout: "0 waiting for the database, 0 set aside.\n", stderr: "" });
  });

  test.runIf(process.platform === "linux")("npm start serves no page of another origin on any port", async () => {
    const ports = await portsOf(service.child.pid ?? 0);
    expect(ports).toEqual(expect.arrayContaining([Number(new URL(service.url).port), metricsPort]));
    // Includes the ports of the process that hashes passwords and of the page that shows emails.
    expect(ports).toHaveLength(4);

    const site = createServer((_, answer) =>
      answer.setHeader("content-type", "text/html").end("<title>A page</title>"),
    );
    await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void site.close());
    const page = await (await newVisitor()).newPage();
    const address = site.address();
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    expect(await page.evaluate(tryPorts, { ports, secretPaths })).toEqual([]);

    // Calls like any program on the machine, without a browser's restrictions.
    for (const port of ports) {
      const read = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(({ ok }) => ok);
      for (const path of secretPaths) {
        expect(await read(path), `${port}${path}`).toBe(false);
      }
      expect(await read("/metrics"), `${port}/metrics`).toBe(port === metricsPort);
    }
  });

  test("npm start shows unsent emails, and only to this machine", { tags: "soak" }, async () => {
    const { banner, url } = service;
    const { programId } = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
    const cookie = (await signInBy(service)).headers.getSetCookie().map((each) => each.split(";")[0]);
    const headers = { origin: url, "content-type": "application/json", cookie: cookie.join("; ") };
    const post = async <Data>(path: string, json: object): Promise<Data> => {
      const body = JSON.stringify(json);
      const answer = await fetch(`${url}/api/programs/${programId}/${path}`, { method: "POST", headers, body });
      return ((await answer.json()) as { data: Data }).data;
    };
    const partner = await post<{ id: number }>("partners", { name: "Ada", email: "ada@mailed.example", code: "ADA" });
    const invitation = await post<{ inviteUrl: string }>(`partners/${partner.id}/invitations`, {});

    expect(banner).toContain(`${url}/app/mail`);
    const page = async (more: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(`${url}/app/mail`, { headers: more });
      return { status: answer.status, html: await answer.text() };
    };
    await expect.poll(async () => (await page()).html, { interval: 100 }).toContain("To ada@mailed.example");
    expect((await page()).html).toMatch(/<main>.* UTC<\/time> \(partner invitation\)<.*<\/main>/s);
    expect((await page()).html).toContain(`<a href="${invitation.inviteUrl}.`);
    for (const elsewhere of [{ "x-forwarded-for": "192.0.2.1" }, { "sec-fetch-site": "cross-site" }]) {
      expect(await page(elsewhere)).toMatchObject({ status: 403, html: expect.not.stringContaining("ada") });
    }
    const byName = await new Promise<number | undefined>((resolve) =>
      get(`${url}/app/mail`, { headers: { host: "tributary.example" } }, ({ statusCode }) => resolve(statusCode)),
    );
    expect(byName).toBe(403);
  });

  test("npm start leaves no data of visitors and callers in its files", async () => {
    const { programId, key } = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
    marks = await keepBusy(service.url, programId, key, data);
    await expectKeptNowhere(data, service.banner, marks);
  });

  test("npm start limits sign-ups, whatever IP address a caller claims", { tags: "soak" }, async () => {
    const signUp = (n: number) =>
      fetch(`${service.url}/api/auth/sign-up/email`, {
        method: "POST",
        headers: { origin: service.url, "content-type": "application/json", "cf-connecting-ip": `192.0.2.${n}` },
        body: JSON.stringify({ name: "Ann", email: `ann-${n}@shop.example`, password: `correct horse ${n}` }),
      }).then(({ status }) => status);
    const statuses = await Promise.all(Array.from({ length: 21 }, (_, n) => signUp(n)));
    // A minute may end between the calls, so only the total is checked.
    expect(statuses).toContain(429);
  });

  test("npm start rotates its logs", { tags: "soak" }, async () => {
    const log = join(data, "worker.log");
    await appendFile(log, `${"x".repeat(10_000_000)}\n`);
    await expect.poll(async () => (await stat(log)).size).toBeLessThan(10_000_000);
    expect((await stat(`${log}.1`)).size).toBeGreaterThan(10_000_000);
  });

  test("npm start exits with a reason if its server dies, and leaves no process running", {
    tags: "soak",
  }, async () => {
    const { banner, child, exited, url } = service;
    expect(banner).toContain("Tributary is ready");
    process.kill(await servingPid(child), "SIGKILL");
    expect(await exited).toBe(1);
    expect(await answers(url)).toBeUndefined();
    await expectKeptNowhere(data, banner, marks);
  });
});

test("a process that has a log open when it is rotated continues to write at the beginning of the emptied log", {
  tags: "soak",
}, async () => {
  const log = join(data, "rotated.log");
  const out = openSync(log, "a");
  const writer = spawn("sh", ["-c", "while :; do echo a line; sleep 0.05; done"], { stdio: ["ignore", out, "ignore"] });
  running.push(writer);
  closeSync(out);
  await expect.poll(async () => (await stat(log)).size).toBeGreaterThan(20);
  rotateLog(log, 20);
  expect(await readFile(`${log}.1`, "utf8")).toContain("a line\na line");
  await expect.poll(() => readFile(log, "utf8")).toMatch(/^(a line\n)+$/);
});
