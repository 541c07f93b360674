import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type Fault =
  | { readonly kind: "delay"; readonly ms: number }
  /** Forwards the request only then. */
  | { readonly kind: "hold"; readonly until: Promise<void> }
  | { readonly kind: "late"; readonly ms: number }
  /** Cuts the connection before the request arrives. */
  | { readonly kind: "refuse" }
  /** Drops the request and keeps the connection open. */
  | { readonly kind: "hang" }
  /** Cuts the connection after the request was executed: a commit whose reply is lost. */
  | { readonly kind: "cut" }
  | { readonly kind: "answer"; readonly status: number; readonly body?: string };

export interface FaultScope {
  /** Default: both. A write is a batch that begins immediate. */
  readonly only?: "reads" | "writes";
  /** Spares this many requests of that kind first. Default: 0. */
  readonly after?: number;
  readonly times?: number;
}

export interface DatabaseProxy {
  readonly url: string;
  /** Counts requests with statements since the start or `resetCounts`. The client's protocol probe isn't one. */
  readonly counts: Readonly<Record<keyof typeof nothingCounted, number>>;
  resetCounts(): void;
  /** Applies from now on; the latest matching fault wins. Returns a function that lifts it. */
  inject(fault: Fault, scope?: FaultScope): () => void;
  /** Lifts all faults. Requests that hang keep hanging. */
  heal(): void;
  disconnect(): Promise<void>;
  connect(): Promise<void>;
  close(): Promise<void>;
}

/** `rows` are those that the database looked at; `bytes` are those of its answers. */
const nothingCounted = { reads: 0, writes: 0, total: 0, statements: 0, rows: 0, rowsWritten: 0, bytes: 0 };

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}
type Forward = (exchange: Exchange, beforeAnswer?: () => Promise<void> | never) => Promise<void>;

interface Injected {
  readonly fault: Fault;
  readonly only: "reads" | "writes" | undefined;
  after: number;
  times: number;
}

/** A database file has no way to it that could break. */
function noProxy(url: string): DatabaseProxy {
  const unsupported = () => {
    throw new Error("a database file is reached without a proxy");
  };
  return {
    ...{ url, counts: nothingCounted, resetCounts: unsupported, inject: unsupported, heal: () => {} },
    ...{ disconnect: unsupported, connect: unsupported, close: async () => {} },
  };
}

export async function startDatabaseProxy(
  upstream: string,
  onStatements?: (path: string, body: Buffer, isWrite: boolean) => void,
): Promise<DatabaseProxy> {
  if (upstream.startsWith("file:")) return noProxy(upstream);
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  let counts = { ...nothingCounted };
  const forward = forwardTo(upstream, agent, (answer) => {
    counts = withAnswer(counts, answer);
  });
  let injected: Injected[] = [];
  let port = 0;

  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await readAll(incoming);
      const exchange = { incoming, body, outgoing };
      if (incoming.method !== "POST") return await forward(exchange);
      const isWrite = body.includes("BEGIN IMMEDIATE");
      onStatements?.(incoming.url ?? "/", body, isWrite);
      counts.total += 1;
      if (isWrite) counts.writes += 1;
      else counts.reads += 1;
      counts.statements += body.toString().split(wantsRows).length - 1;
      await treat(takeFault(injected, isWrite), exchange, forward);
    } catch {
      outgoing.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  const disconnect = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const connect = async () => {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
    port = (server.address() as AddressInfo).port;
  };
  await connect();

  return {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get counts() {
      return { ...counts };
    },
    resetCounts: () => {
      counts = { ...nothingCounted };
    },
    inject: (fault, { only, after = 0, times = Number.POSITIVE_INFINITY } = {}) => {
      const added: Injected = { fault, only, after, times };
      injected.push(added);
      return () => {
        injected = injected.filter((other) => other !== added);
      };
    },
    heal: () => {
      injected = [];
    },
    disconnect,
    connect,
    close: async () => {
      if (server.listening) await disconnect();
      agent.destroy();
    },
  };
}

/** The fault of a request, which is used up. */
function takeFault(injected: readonly Injected[], isWrite: boolean): Fault | undefined {
  for (const candidate of injected.toReversed()) {
    if (candidate.only !== undefined && (candidate.only === "writes") !== isWrite) continue;
    if (candidate.after > 0) {
      candidate.after -= 1;
    } else if (candidate.times > 0) {
      candidate.times -= 1;
      return candidate.fault;
    }
  }
  return undefined;
}

async function treat(fault: Fault | undefined, exchange: Exchange, forward: Forward): Promise<void> {
  const { outgoing } = exchange;
  switch (fault?.kind) {
    case undefined:
      return forward(exchange);
    case "delay":
      await delay(fault.ms);
      return forward(exchange);
    case "hold":
      await fault.until;
      return forward(exchange);
    case "late":
      return forward(exchange, () => delay(fault.ms));
    case "cut":
      return forward(exchange, () => {
        throw new Error("cut");
      });
    case "refuse":
      outgoing.destroy();
      return;
    case "hang":
      return;
    case "answer":
      outgoing.writeHead(fault.status, {
        "content-type": fault.body?.startsWith("{") ? "application/json" : "text/plain",
      });
      outgoing.end(fault.body ?? "a fault was asked for");
  }
}

const wantsRows = '"want_rows":true';

const countIn = (answer: Buffer, what: "read" | "written"): number =>
  [...answer.toString().matchAll(new RegExp(`"rows_${what}":(\\d+)`, "g"))].reduce((sum, [, n]) => sum + Number(n), 0);

const withAnswer = (counts: typeof nothingCounted, answer: Buffer): typeof nothingCounted => ({
  ...counts,
  rows: counts.rows + countIn(answer, "read"),
  rowsWritten: counts.rowsWritten + countIn(answer, "written"),
  bytes: counts.bytes + answer.length,
});

const forwardTo =
  (upstream: string, agent: Agent, onAnswer: (content: Buffer) => void): Forward =>
  ({ incoming, body, outgoing }, beforeAnswer) =>
    new Promise((resolve, reject) => {
      const onward = httpRequest(
        new URL(incoming.url ?? "/", upstream).href,
        { agent, method: incoming.method, headers: { ...incoming.headers, host: new URL(upstream).host } },
        async (answer) => {
          try {
            const content = await readAll(answer);
            onAnswer(content);
            await beforeAnswer?.();
            const { "transfer-encoding": _, ...headers } = answer.headers;
            outgoing.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": content.length });
            outgoing.end(content);
            resolve();
          } catch (error) {
            reject(error);
          }
        },
      );
      onward.once("error", reject);
      onward.end(body);
    });

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
