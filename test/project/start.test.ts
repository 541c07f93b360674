import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.ts";
import { node, root } from "../../scripts/root.ts";

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
async function start(port: number): Promise<Started> {
  const child = spawn(node, ["scripts/start.ts", "--data", data], {
    cwd: root,
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
