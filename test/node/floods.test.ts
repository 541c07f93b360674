import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { World } from "../../harness/world.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
const idle = isWhole ? 5_000 : 500;
const many = isWhole ? 2_000 : 200;
/** The largest growth of memory after a flood. Measured: 60 MB. */
const mostMegabytes = 150;

let world: World;
let pid: number;
const sockets = new Set<Socket>();
beforeAll(async () => {
  world = await own.world({ partners: [{}, {}] });
  pid = own.service.pid;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(own.service.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => resolve(socket));
    sockets.add(socket);
    socket.once("error", reject);
    socket.on("error", () => undefined);
  });

interface Flood {
  readonly connections: number;
  /** The bytes that each connection sends. */
  readonly bytes: string;
  readonly react?: (socket: Socket) => void;
}

async function flood({ connections, bytes, react = (socket) => socket.resume() }: Flood): Promise<readonly Socket[]> {
  const opened = await Promise.all(Array.from({ length: connections }, open));
  for (const socket of opened) {
    react(socket);
    if (bytes !== "") socket.write(bytes);
  }
  return opened;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
const sale = () =>
  `POST /api/v1/track/sale HTTP/1.1\r\nHost: 127.0.0.1\r\nCF-Connecting-IP: 9.9.9.9\r\nAuthorization: Bearer ${world.key}\r\nContent-Type: application/json\r\n`;

/** Expects the same process to serve other callers, and its log to have no errors. */
async function othersAreServed(): Promise<void> {
  const shop = programFixture(world, own.api());
  for (let i = 0; i < 5; i += 1) {
    await shop.visit().catch((cause: unknown) => {
      throw new Error(`the service logged: ${own.service.logs.slice(-20).join("\n")}`, { cause });
    });
  }
  expect(process.kill(pid, 0)).toBe(true);
  expect(own.service.logs.filter((line) => /"event":"(process|rejection|object|background)\./.test(line))).toEqual([]);
}

const megabytes = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${own.service.pid}/status`, "utf8"))?.[1]) / 1_024;

const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ["end", "close"]) socket.once(event, () => resolve());
  });

const floods: Readonly<Record<string, () => Flood>> = {
  "silent connections": () => ({ connections: idle, bytes: "" }),
  "endless headers": () => ({ connections: many, bytes: `${get("/healthz")}X-More: ` }),
  "endless bodies": () => ({ connections: many, bytes: `${sale()}Content-Length: 100\r\n\r\n{` }),
  "endless chunks": () => ({
    connections: many,
    bytes: `${sale()}Transfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n`,
  }),
  "chunks without a size": () => ({
    connections: many,
    bytes: `${sale()}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
  }),
  "headers that are too large": () => ({
    connections: many,
    bytes: `${get("/healthz")}X-Large: ${"x".repeat(60_000)}\r\n\r\n`,
  }),
  "half-closed sockets": () => ({
    connections: many,
    bytes: `${sale()}Content-Length: 100\r\n\r\n{`,
    react: (socket) => socket.end(),
  }),
  "pipelined calls whose replies are never read": () => ({
    connections: many,
    bytes: `${get("/js/svc-tracker.js")}\r\n`.repeat(40),
    react: (socket) => socket.pause(),
  }),
  "abandoned downloads": () => ({
    connections: many,
    bytes: `${get("/js/svc-tracker.js")}\r\n`.repeat(3),
    react: (socket) => socket.once("data", () => socket.destroy()),
  }),
};

describe("floods", () => {
  it.each(Object.entries(floods))("other callers are served during a flood of %s", async (_, of) => {
    await flood(of());
    await othersAreServed();
  });
});

it("the service's memory doesn't keep growing when all floods of calls are repeated", { tags: "soak" }, async () => {
  const round = async () => {
    for (const of of Object.values(floods)) {
      await flood(of());
      await othersAreServed();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    }
  };
  await round();
  const before = megabytes();
  for (let i = 0; i < 3; i += 1) await round();
  await expect.poll(megabytes).toBeLessThan(before + mostMegabytes);
});

it("the service accepts headers of 30 kB, as large as proxies forward", async () => {
  const [socket] = await flood({ connections: 1, bytes: `${get("/healthz")}X-Large: ${"x".repeat(30_000)}\r\n\r\n` });
  const line = await new Promise((resolve) => socket?.once("data", (data) => resolve(String(data).split("\r\n")[0])));
  expect(line).toBe("HTTP/1.1 200 OK");
});

it("a connection that sends a flood of calls is closed, and other connections are served", async () => {
  const [socket] = await flood({ connections: 1, bytes: `${get("/readyz")}\r\n`.repeat(1_000) });
  if (socket !== undefined) await closing(socket);
  await othersAreServed();
});

it("the service can be stopped even while clients keep connections, headers or calls unfinished", async () => {
  const opened = [
    ...(await flood({ connections: 5, bytes: "" })),
    ...(await flood({ connections: 5, bytes: `${get("/healthz")}X-More: ` })),
    ...(await flood({ connections: 5, bytes: `${get("/healthz")}\r\n${get("/healthz")}X-More: ` })),
  ];
  const ended = opened.map(closing);
  process.kill(own.service.pid, "SIGTERM");
  await Promise.all(ended);
  await own.service.restart();
  pid = own.service.pid;
  await othersAreServed();
});
