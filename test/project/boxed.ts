import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { chown, cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, onTestFinished, vi } from "vitest";
import { createApi } from "../../harness/client.ts";
import { signUp } from "../../harness/session.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { mountSmallDisk, type SmallDisk } from "../faults/disk.ts";

/** A way to run the released files: the archive, or the image in a container. */
export interface Box {
  start(data: string, ports: Ports): ChildProcess;
  tributary(data: string, args: readonly string[]): Promise<{ readonly stdout: string }>;
  /** Runs the health check, and returns its exit code. */
  health(data: string, port: number): Promise<number>;
}

interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly exited: Promise<number | null>;
  log(): string;
}

const running = new Set<ChildProcess>();

export function endAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Starts the service in the box, and returns once it is ready or has ended. */
export async function startIn(box: Box, data: string): Promise<Running> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const startedAt = performance.now();
  const child = box.start(data, { port, metricsPort });
  running.add(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  await Promise.race([vi.waitUntil(() => log.includes('"Ready at'), { timeout: 120_000 }), exited]);
  console.log(`ready in ${Math.round(performance.now() - startedAt)} ms`);
  return { child, url: `http://127.0.0.1:${port}`, port, exited, log: () => log };
}

export async function stopped({ child, exited, log }: Running): Promise<void> {
  child.kill("SIGTERM");
  expect(await exited, log()).toBe(0);
}

export interface Shop {
  readonly key: string;
  readonly programId: number;
}

/** Creates the first owner by the link, with a program and a partner. */
export async function openShop(url: string, link: string): Promise<Shop> {
  const owner = await signUp(url, { invitation: /token=([\w-]+)/.exec(link)?.[1] ?? "" });
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const program = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    workspaceId: workspace.body.data.id,
    name: "Shop",
  });
  const { id, apiToken: key } = program.body.data;
  const partner = await owner.post(`/api/programs/${id}/partners`, { name: "Demo", code: "DEMO" });
  expect(partner.status, partner.text).toBe(201);
  return { key, programId: id };
}

/** Sends the sale `order-<n>`. */
export const sell = (url: string, { key }: Shop, n: number) =>
  createApi(url).sale({ transaction_id: `order-${n}`, amount_cents: 4900, customer_key: `customer-${n}` }, { key });

/** Records sales until the service is killed after ten of them. Returns the numbers of those that were recorded. */
export async function killWhileSelling({ url, child, exited }: Running, shop: Shop): Promise<readonly number[]> {
  const recorded: number[] = [];
  for (let n = 1_000; child.exitCode === null && child.signalCode === null; n += 1) {
    const status = await sell(url, shop, n).then(
      (reply) => reply.status,
      () => undefined,
    );
    if (status === 200) recorded.push(n);
    // The next calls are under way when it dies.
    if (recorded.length === 10) setImmediate(() => child.kill("SIGKILL"));
  }
  await exited;
  return recorded;
}

/** Expects that each of these sales is recorded. */
export async function expectRecorded(url: string, shop: Shop, numbers: readonly number[]): Promise<void> {
  for (const n of numbers) expect((await sell(url, shop, n)).status, `order-${n}`).toBe(409);
}

/** Writes data of 0.1.0 with its secrets (busy-book.test.ts). */
export async function writeReleasedData(data: string): Promise<void> {
  const fixture = join(root, "test/project/busy-book");
  const file = join(data, databaseFile);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, brotliDecompressSync(readFileSync(join(fixture, "data.br"))));
  await cp(join(fixture, "secrets.env"), join(data, "secrets.env"));
}

/** Fills the service's disk while it records sales, kills the service, and frees the disk. */
export async function expectFullDiskSurvived(box: Box, owner: { readonly uid: number; readonly gid: number }) {
  const disk = mountSmallDisk(64);
  if (typeof disk === "string") throw new Error(disk);
  onTestFinished(() => disk.unmount());
  await chown(disk.path, owner.uid, owner.gid);
  const data = join(disk.path, "data");
  await mkdir(data, { mode: 0o700 });
  await chown(data, owner.uid, owner.gid);
  const first = await startIn(box, data);
  onTestFinished(() => void first.child.kill("SIGKILL"));
  const shop = await openShop(first.url, (await box.tributary(data, ["invite-owner"])).stdout);
  expect((await sell(first.url, shop, 1)).status).toBe(200);

  const recorded = [1, ...(await sellWhileFull(first.url, shop, disk))];
  await expect.poll(() => box.health(data, first.port)).toBe(1);
  disk.free();
  // The same call succeeds once there is room again, without a restart.
  await expect.poll(async () => (await sell(first.url, shop, 2)).status).toBe(200);
  await expect.poll(() => box.health(data, first.port)).toBe(0);
  await expectRecorded(first.url, shop, recorded);

  recorded.push(2, ...(await sellWhileFull(first.url, shop, disk)));
  first.child.kill("SIGKILL");
  await first.exited;
  disk.free();
  const second = await startIn(box, data);
  onTestFinished(() => void second.child.kill("SIGKILL"));
  await expectRecorded(second.url, shop, recorded);
  expect((await sell(second.url, shop, 3)).status).toBe(200);
  expect((await box.tributary(data, ["audit"])).stdout).toContain("The books are right");
  await stopped(second);
}

let nextSale = 2_000;

/** Sells while the disk is filled, until sales are refused. Returns the numbers of the recorded ones. */
async function sellWhileFull(url: string, shop: Shop, disk: SmallDisk): Promise<readonly number[]> {
  const recorded: number[] = [];
  for (;;) {
    if (recorded.length >= 5) disk.fill();
    nextSale += 1;
    const { status, headers, text } = await sell(url, shop, nextSale);
    if (status === 200) recorded.push(nextSale);
    else {
      expect([status, headers.get("retry-after")], text).toEqual([503, expect.stringMatching(/^\d+$/)]);
      return recorded;
    }
  }
}
