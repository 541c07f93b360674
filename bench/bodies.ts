import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createApi } from "../harness/client.ts";
import { startService } from "../harness/service.ts";
import { createWorld, type World } from "../harness/world.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions } from "./options.ts";
import { proportionalMegabytes } from "./processes.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:bodies: the memory of 2,500 connections at once, each from another address, that never end what they
// send, and when the last is closed. Every row has a service of its own, which has answered 3,000 clicks before.

const connections = 2_500;
const [clicksBefore, callersBefore] = [3_000, 50];
const givenUpAfterMs = 25_000;
const options = readOptions({ only: [], connections: [], rounds: 3, seconds: 1 }, { rounds: 1 });

const bodyBytes = 60_000;
const mostOfBody = `{"page_title":"${"x".repeat(bodyBytes - 1_000)}`;
const headOf = (i: number, length: string) =>
  [
    "POST /api/v1/track/click HTTP/1.1",
    "Host: 127.0.0.1",
    `CF-Connecting-IP: 10.0.${i >> 8}.${i & 255}`,
    "Content-Type: application/json",
    `${length}\r\n\r\n`,
  ].join("\r\n");

const shapes: Readonly<Record<string, (i: number) => string>> = {
  "nothing but the connection": () => "",
  "half of the headers": (i) => headOf(i, "X: ").trimEnd(),
  "no byte of 300": (i) => headOf(i, "Content-Length: 300"),
  "59 of 60 kB": (i) => headOf(i, `Content-Length: ${bodyBytes}`) + mostOfBody,
  "59 kB, chunked": (i) =>
    `${headOf(i, "Transfer-Encoding: chunked")}${mostOfBody.length.toString(16)}\r\n${mostOfBody}\r\n`,
};

interface Flood {
  readonly megabytes: number | undefined;
  readonly closedAfterMs: number;
}

async function warm(url: string, { programId, partner }: World): Promise<void> {
  const click = { affiliate_url: partner.landingUrl, program_id: programId };
  const caller = async () => {
    for (let i = 0; i < clicksBefore / callersBefore; i += 1) await createApi(url).click(click);
  };
  await Promise.all(Array.from({ length: callersBefore }, caller));
  await delay(1_500);
}

function openAll(url: string, textOf: (i: number) => string, onClose: () => void): readonly Socket[] {
  const port = Number(new URL(url).port);
  return Array.from({ length: connections }, (_, i) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("connect", () => socket.write(textOf(i)));
    return socket
      .on("error", () => {})
      .on("close", onClose)
      .resume();
  });
}

async function flood(build: ServedFiles, databaseUrl: string, world: World, textOf: (i: number) => string) {
  const service = await startService({ build, databaseUrl, keepsLogs: false });
  try {
    await warm(service.url, world);
    const before = proportionalMegabytes(service.pid);
    const startedAt = performance.now();
    let [open, closedAfterMs, peak] = [connections, Number.POSITIVE_INFINITY, before];
    const sockets = openAll(service.url, textOf, () => {
      open -= 1;
      if (open === 0) closedAfterMs = performance.now() - startedAt;
    });
    while (open > 0 && performance.now() - startedAt < givenUpAfterMs) {
      await delay(200);
      const now = proportionalMegabytes(service.pid);
      if (now !== undefined && peak !== undefined && now > peak) peak = now;
    }
    for (const socket of sockets) socket.destroy();
    return { megabytes: peak !== undefined && before !== undefined ? peak - before : undefined, closedAfterMs };
  } finally {
    await service.stop();
  }
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const world = await createWorld(database.url);
  const cells = Object.entries(shapes).map(([shape, textOf]) => ({ shape, textOf, rounds: [] as Flood[] }));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { textOf, rounds } of cells) {
      rounds.push(await flood(ours, database.url, world, textOf));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const megabytes = ({ rounds }: (typeof cells)[number]) => figureOf(rounds.map((each) => each.megabytes));
  const seconds = ({ rounds }: (typeof cells)[number]) => figureOf(rounds.map((each) => each.closedAfterMs / 1_000));
  const ofBodies = cells.slice(2);
  const limits = [
    { what: "memory, MB", is: Math.max(...ofBodies.map((cell) => megabytes(cell)?.median ?? Number.NaN)), atMost: 60 },
    {
      what: "until all are closed, s",
      is: Math.max(...ofBodies.map((cell) => seconds(cell)?.median ?? 0)),
      atMost: 15,
    },
  ];
  const rows = cells.map((cell) => [cell.shape, shown(megabytes(cell)), shown(seconds(cell))]);
  const markdown = `${machine()}\n\n${table(["sent", "more memory, MB", "all closed after, s"], rows)}`;
  await publish(
    {
      name: "bodies",
      markdown,
      data: { options, cells: cells.map(({ shape, rounds }) => ({ shape, rounds })) },
      limits,
    },
    options.write,
  );
});
