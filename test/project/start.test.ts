import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.ts";
import { node, root } from "../../scripts/root.ts";
import { cloneInto, digest } from "../support/clone.ts";

let data: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "tributary-start-"));
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
});
afterAll(() => rm(data, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly banner: string;
  readonly exited: Promise<number | null>;
}

/** `npm start`, up to its banner, or to its end. */
async function start(port: number, cwd = root, args = ["--data", data]): Promise<Started> {
  const child = spawn(node, ["scripts/start.ts", ...args], {
    cwd,
    env: { ...process.env, PORT: String(port), RATE_LIMITS: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let banner = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      banner += text;
    });
  }
  await expect.poll(() => banner.includes("Ctrl-C") || child.exitCode !== null, { timeout: 60_000 }).toBe(true);
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    exited,
    get banner() {
      return banner;
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGINT");
  await new Promise((resolve) => child.once("exit", resolve));
}

const answers = async (url: string) => (await fetch(`${url}/healthz`).catch(() => undefined))?.status;
const keyIn = (banner: string) => /svc_\w+/.exec(banner)?.[0];

/** Signs in as the banner says. */
async function signInBy({ banner, url }: Started): Promise<Response> {
  const [, email, password] = /Sign in as: +(\S+), password (\S+)/.exec(banner) ?? [];
  return fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
}

test("prints lines that run click, lead, sale and refund as they stand, lets its owner sign in, goes on with the same data", async () => {
  const first = await start(await freePort());
  const lines = first.banner.split("\n").filter((line) => line.includes("curl "));
  expect(lines).toHaveLength(4);
  const { stdout } = await promisify(execFile)("sh", ["-c", lines.join("\n")]);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { success: true, partner_code: "DEMO" },
    { success: true, attributed: true },
    { success: true, attributed: true, commission: { amount_cents: 980, status: "pending" } },
    { success: true, status: "reversed", commission_reversed_cents: 980 },
  ]);
  const signedIn = await signInBy(first);
  expect(signedIn.status).toBe(200);
  expect(signedIn.headers.getSetCookie()).toHaveLength(1);
  for (const file of ["demo.json", "dev.vars"]) expect((await stat(join(data, file))).mode & 0o777).toBe(0o600);

  const elsewhere = await start(await freePort());
  expect(await elsewhere.exited).toBe(1);
  expect(elsewhere.banner).toContain(`It is running already, at ${first.url}`);

  first.child.kill("SIGINT");
  expect(await first.exited).toBe(0);
  expect(await answers(first.url)).toBeUndefined();

  const second = await start(await freePort());
  expect(keyIn(second.banner)).toBe(keyIn(first.banner));
  expect((await signInBy(second)).status).toBe(200);
  const again = lines.join("\n").replaceAll(first.url, second.url);
  const repeated = (await promisify(execFile)("sh", ["-c", again])).stdout.trim().split("\n");
  // The first start's sale is there.
  expect(JSON.parse(repeated[2] ?? "")).toMatchObject({ error: { status: 409 } });
}, 120_000);

/** The dashboard's page and all that it loads at once: what each is answered with. */
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

test("serves what it was started with while builds run in its folder, and the change with the next start", async () => {
  const clone = await cloneInto(join(data, "a clone"));
  const build = () => promisify(execFile)(node, ["scripts/build.ts"], { cwd: clone });
  const first = await start(await freePort(), clone, []);
  expect(first.banner).toContain("Tributary is ready");
  const loaded = await load(first.url);
  expect(Object.keys(loaded).length).toBeGreaterThan(2);
  for (const { status, bytes } of Object.values(loaded)) {
    expect(status).toBe(200);
    expect(bytes).toBeGreaterThan(0);
  }

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
  // A page that was open all the while still finds its parts.
  for (const path of Object.keys(loaded)) expect((await fetch(second.url + path)).status, path).toBe(200);
}, 120_000);

test("says so when its port is in use", async () => {
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

test("ends with a reason when its database dies, and leaves nothing running", async () => {
  const { banner, child, exited, url } = await start(await freePort());
  expect(banner).toContain("Tributary is ready");
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,comm="]);
  const sqld = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, ppid, command]) => ppid === String(child.pid) && command?.includes("sqld"));
  process.kill(Number(sqld?.[0]), "SIGKILL");
  expect(await exited).toBe(1);
  expect(await answers(url)).toBeUndefined();
});
