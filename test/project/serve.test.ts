import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Api, createApi, type Reply } from "../../harness/client.ts";
import { signUp, type User } from "../../harness/session.ts";
import { openClient } from "../../scripts/database/client.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { mountSmallDisk } from "../faults/disk.ts";
import { expectKeptNowhere, keepBusy } from "./kept.ts";
import { lockDatabase, type Served, serve as serveIn, servingPid, stop } from "./started.ts";

let data: string;
let port: number;
const running: ChildProcess[] = [];

const disk = mountSmallDisk(160);

beforeAll(async () => {
  data = await mkdtemp(join(typeof disk === "string" ? tmpdir() : disk.path, "tributary-serve-"));
  port = await freePort();
});
afterAll(async () => {
  for (const child of running.splice(0)) await stop(child);
  await rm(data, { recursive: true, force: true });
  if (typeof disk !== "string") disk.unmount();
});

const serve = (options: Partial<Parameters<typeof serveIn>[0]> = {}): Promise<Served> =>
  serveIn({ data, port, args: ["--trusted-proxy", "127.0.0.1"], onSpawn: (child) => running.push(child), ...options });

/** The program with the partner DEMO, and its key. */
interface Shop {
  readonly programId: number;
  readonly key: string;
  readonly api: Api;
}

async function openShop(owner: User): Promise<Shop> {
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const program = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    workspaceId: workspace.body.data.id,
    name: "Shop",
  });
  const { id: programId, apiToken: key } = program.body.data;
  await owner.post(`/api/programs/${programId}/partners`, { name: "Demo", code: "DEMO" });
  return { programId, key, api: createApi(owner.url) };
}

const sale = (id: string) => ({ transaction_id: id, amount_cents: 900, customer_key: `customer-${id}` });
const tokenIn = (text: string) => /token=([\w-]+)/.exec(text)?.[1] ?? "";

let service: Served;
let shop: Shop;

test("npm run serve invites the first owner once, and allows no other sign-up", async () => {
  service = await serve();
  expect(service.log).toContain("Ready at");
  const file = join(data, "first-owner.txt");
  await expect.poll(() => service.log).toContain(`open the link in ${file}.`);
  const text = await readFile(file, "utf8");
  expect(text).toContain(`; npm run tributary -- invite-owner --data ${data} makes another:`);
  const invitation = tokenIn(text);
  expect(invitation).not.toBe("");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(service.log + service.errors).not.toContain(invitation);
  await expect(signUp(service.url)).rejects.toThrow("Sign-up is by invitation");
  shop = await openShop(await signUp(service.url, { invitation }));
  await expect(signUp(service.url, { invitation })).rejects.toThrow("Sign-up is by invitation");
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  expect((await stat(join(data, "secrets.env"))).mode & 0o777).toBe(0o600);
});

test("a second service on the same data is refused", { tags: "soak" }, async () => {
  const second = await serve({ port: await freePort() });
  expect(await second.exited).toBe(1);
  expect(second.errors).toBe(`It is running already, at ${service.url} (process ${service.child.pid}).\n`);
});

describe("npm run serve behind a proxy", () => {
  const forwardedFor = (from: string) => ({ "x-forwarded-for": from, "x-forwarded-proto": "https" });

  /** Sends a click on an unknown link, passed on by a proxy with the address `localAddress`. */
  const click = (headers: Record<string, string>, localAddress: string) =>
    new Promise<{ status: number; isSecure: boolean }>((resolve, reject) => {
      const body = JSON.stringify({ affiliate_url: "https://shop.example/?aff=none", program_id: shop.programId });
      const outgoing = request(
        `${service.url}/api/v1/track/click`,
        { method: "POST", localAddress, headers: { "content-type": "application/json", ...headers } },
        (answer) => {
          answer.resume().once("end", () => {
            const isSecure = answer.headers["strict-transport-security"] !== undefined;
            resolve({ status: answer.statusCode ?? 0, isSecure });
          });
        },
      );
      outgoing.once("error", reject);
      outgoing.end(body);
    });

  test("npm run serve behind a proxy treats a proxied call as https, from the address that the proxy reports", async () => {
    expect(await click(forwardedFor("192.0.2.1"), "127.0.0.1")).toEqual({ status: 400, isSecure: true });
    const statuses = new Set<number>();
    // Sends more calls than two minutes allow, because a minute may end during the test.
    for (let n = 0; n < 620 && !statuses.has(429); n += 20) {
      const claims = Array.from({ length: 20 }, (_, claim) =>
        forwardedFor(`198.51.100.${n % 250}, 10.0.0.${claim}, 192.0.2.2`),
      );
      for (const { status } of await Promise.all(claims.map((headers) => click(headers, "127.0.0.1"))))
        statuses.add(status);
    }
    expect(statuses).toEqual(new Set([400, 429]));
    expect((await click(forwardedFor("192.0.2.3"), "127.0.0.1")).status).toBe(400);
  });

  // Other systems than Linux have only one loopback address.
  test.runIf(process.platform === "linux")("a call from an untrusted proxy is treated as plain http", async () => {
    expect(await click(forwardedFor("192.0.2.1"), "127.0.0.2")).toEqual({ status: 403, isSecure: false });
  });
});

// With `skipIf` or `runIf`, the test would lose the tag soak.
const testFull = typeof disk === "string" ? test.skip : test;
testFull("on a full disk every call gets 503, and counts once it is resent", { tags: "soak" }, async () => {
  const landing = { affiliate_url: "https://shop.example/?aff=DEMO", program_id: shop.programId };
  expect((await shop.api.click(landing)).status).toBe(200);
  const linesBefore = service.log.split("\n").length;
  const replies: Reply<unknown>[] = [];
  const ids = Array.from({ length: 60 }, (_, i) => `full-${i}`);
  for (const id of ids) {
    // Fills the disk again each time, because the last calls may have left or freed space.
    if (typeof disk !== "string") disk.fill();
    const calls = [shop.api.click(landing), shop.api.sale(sale(id), { key: shop.key })];
    replies.push(...(await Promise.all(calls)));
  }
  const refused = replies.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  for (const { headers } of refused) expect(headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(service.log.split("\n").length - linesBefore).toBeLessThan(replies.length + 40);
  expect(service.log).not.toContain("rejection.unhandled");
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);

  if (typeof disk !== "string") disk.free();
  const again = async (id: string) => (await shop.api.sale(sale(id), { key: shop.key })).status;
  await expect.poll(() => again("full-0")).toSatisfy((status) => [200, 409].includes(Number(status)));
  for (const id of ids) expect(await again(id)).toBeOneOf([200, 409]);
  for (const id of ids) expect(await again(id)).toBe(409);
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
  const logged = (event: string) => service.log.split(`"event":"${event}"`).length - 1;
  for (const name of ["object.storage", "ledger.database"]) {
    await expect.poll(() => logged(`${name}_recovered`)).toBe(logged(`${name}_lost`));
  }
});

test("npm run serve answers running calls when it is stopped, and records no call that it doesn't answer", async () => {
  const answered = new Map<string, number>();
  const cut: string[] = [];
  const sell = async (id: string) => {
    try {
      answered.set(id, (await shop.api.sale(sale(id), { key: shop.key })).status);
    } catch {
      cut.push(id);
    }
  };
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let n = 0; cut.length < 4; n += 1) await sell(`busy-${caller}-${n}`);
  });
  await expect.poll(() => answered.size).toBeGreaterThan(40);

  const unlock = await lockDatabase(data);
  const held = ["held-1", "held-2", "held-3"];
  const holding = held.map(sell);
  // The service answers this after it has received the held calls.
  for (let i = 0; i < held.length; i += 1) expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  service.child.kill("SIGTERM");
  await expect.poll(() => service.log).toContain('"Stopping. ');
  expect(held.filter((id) => answered.has(id))).toEqual([]);
  await unlock();
  expect(await service.exited).toBe(0);
  await Promise.all([...callers, ...holding]);
  expect(held.map((id) => answered.get(id))).toEqual([200, 200, 200]);
  expect(new Set(answered.values())).toEqual(new Set([200]));

  service = await serve({ env: { SIGN_UP: "open" } });
  const again = async (ids: Iterable<string>) =>
    new Set(await Promise.all([...ids].map(async (id) => (await shop.api.sale(sale(id), { key: shop.key })).status)));
  expect(await again(answered.keys())).toEqual(new Set([409]));
  expect(await again(cut)).toEqual(new Set([200]));
  expect(service.log).not.toContain("first-owner.txt");
  expect(service.errors).toBe("");
});

test("npm run serve leaves no data of visitors and callers in its log and files, and logs one object per line", {
  tags: "soak",
}, async () => {
  const marks = await keepBusy(service.url, shop.programId, shop.key, data);
  await expectKeptNowhere(data, service.log + service.errors, marks, "secrets.env");
  expect(service.log).not.toContain(shop.key);
  const lines = service.log.trim().split("\n");
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) expect(JSON.parse(line), line).toBeTypeOf("object");
});

test("npm run serve restarts its server after kill -9, and continues", async () => {
  const killed = await servingPid(service.child);
  process.kill(killed, "SIGKILL");
  await expect.poll(() => servingPid(service.child)).not.toSatisfy((pid) => pid === killed || Number.isNaN(pid));
  const sell = async () => {
    const reply = await shop.api.sale(sale("after-kill"), { key: shop.key }).catch(() => undefined);
    return reply?.status;
  };
  await expect.poll(sell).toSatisfy((status) => status === 200 || status === 409);
  expect(service.log).toContain("(SIGKILL)");
  // The account was created before this start.
  await expect.poll(() => readdir(data)).not.toContain("first-owner.txt");
});

test("npm run serve starts again after it was killed, while its child processes are still ending", {
  tags: "soak",
}, async () => {
  service.child.kill("SIGKILL");
  await service.exited;
  service = await serve({ env: { SIGN_UP: "open" } });
  expect(service.errors).toBe("");
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test("data of a later release is refused, and not changed", { tags: "soak" }, async () => {
  const { databaseUrl: url, databaseAuthToken: authToken } = JSON.parse(
    await readFile(join(data, "running.json"), "utf8"),
  );
  const later = "insert into schema_migrations (name, hash, applied_at) values ('9999_later', 'x', 1)";
  await openClient({ url, authToken }).execute(later);
  await stop(service.child);
  const refused = await serve();
  expect(await refused.exited).toBe(1);
  expect(refused.errors).toContain("doesn't know the migration 9999_later");
  expect(refused.errors.trim().split("\n")).toHaveLength(1);

  await writeFile(join(data, "release.json"), JSON.stringify({ version: "9.9.9", migration: "9999_later" }));
  const byFile = await serve();
  expect(await byFile.exited).toBe(1);
  expect(byFile.errors).toContain("is of release 9.9.9");
  // The database wasn't started at all.
  expect(byFile.log).toBe("");

  await writeFile(join(data, "release.json"), "null");
  const damaged = await serve();
  expect(await damaged.exited).toBe(1);
  expect(damaged.errors).toBe(`${join(data, "release.json")} is damaged. Remove it: the next start writes it again.\n`);
});

describe("npm run serve when it refuses to start", () => {
  const refusal = async (options: Parameters<typeof serve>[0]) => {
    // Another process may use this file's port by now.
    const { exited, errors, log } = await serve({ port: await freePort(), ...options });
    const code = await exited;
    expect(errors.trim().split("\n")).toHaveLength(1);
    expect(log).toBe("");
    return { code, errors };
  };
  let folder: string;
  beforeAll(async () => {
    folder = join(data, "refused");
    await mkdir(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }).then(() => mkdir(folder)));

  test("npm run serve rejects an unknown flag with one line of output", { tags: "soak" }, async () => {
    expect(await refusal({ data: folder, args: ["--verbose"] })).toMatchObject({ code: 2 });
    expect(await readdir(folder)).toEqual([]);
  });

  test("npm run serve rejects a port in use with one line of output", { tags: "soak" }, async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const inUse = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { code, errors } = await refusal({ data: folder, port: inUse });
    taken.close();
    expect(code).toBe(1);
    expect(errors).toContain(`Port ${inUse} is in use`);
  });

  test("npm run serve rejects a folder with other files with one line of output", { tags: "soak" }, async () => {
    await writeFile(join(folder, "thesis.tex"), "");
    await mkdir(join(folder, "backups"));
    expect(await refusal({ data: folder })).toMatchObject({
      code: 1,
      errors: expect.stringContaining("something else"),
    });
    expect(await readdir(folder)).toEqual(["backups", "thesis.tex"]);
  });

  test("npm run serve rejects data without its secrets with one line of output", { tags: "soak" }, async () => {
    await mkdir(join(folder, "sqld"));
    const { code, errors } = await refusal({ data: folder });
    expect(code).toBe(1);
    expect(errors).toContain("secrets.env lacks CLICK_KEYS, HASH_SECRET, AUTH_SECRET, and DATA_KEYS");
    expect(await readdir(folder)).not.toContain("secrets.env");
  });
});
