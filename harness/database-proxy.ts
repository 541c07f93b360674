import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What becomes of a request to the database. */
export type Fault =
  /** It arrives so much later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** It arrives at once, and its answer so much later. */
  | { readonly kind: "late"; readonly ms: number }
  /** It never arrives; the connection is cut. */
  | { readonly kind: "refuse" }
  /** It never arrives, and nothing is said. */
  | { readonly kind: "hang" }
  /** It is carried out, and the connection is cut before the answer: a commit done, the answer lost. */
  | { readonly kind: "cut" }
  /** It never arrives; this is answered instead. */
  | { readonly kind: "answer"; readonly status: number; readonly body?: string };

export interface FaultScope {
  /** Default: all. A write is a batch that begins immediate. */
  readonly only?: "reads" | "writes";
  /** So many requests of that kind pass unharmed first. Default 0. */
  readonly after?: number;
  /** So many are hit. Default: all that come. */
  readonly times?: number;
}

/** Stands between the Worker and the database; `url` is what DATABASE_URL is set to. */
export interface DatabaseProxy {
  readonly url: string;
  /** Requests with statements in them, since the start or `resetCounts`. The client's question for the protocol isn't one. */
  readonly counts: { readonly reads: number; readonly writes: number; readonly total: number };
  resetCounts(): void;
  /** From now on, for what falls in its scope; the latest that applies wins. Returns what lifts it. */
  inject(fault: Fault, scope?: FaultScope): () => void;
  /** Lifts all faults. What hangs goes on hanging. */
  heal(): void;
  /** Nobody listens any more: connections are cut and new ones refused. */
  disconnect(): Promise<void>;
  connect(): Promise<void>;
  close(): Promise<void>;
}

interface Injected {
  readonly fault: Fault;
  readonly only: "reads" | "writes" | undefined;
  after: number;
  times: number;
}

/** `onStatements` hears of each request with statements in it, as it comes. */
export async function startDatabaseProxy(
  upstream: string,
  onStatements?: (path: string, body: Buffer, isWrite: boolean) => void,
): Promise<DatabaseProxy> {
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  let counts = { reads: 0, writes: 0, total: 0 };
  let injected: Injected[] = [];
  let port = 0;

  const faultFor = (isWrite: boolean): Fault | undefined => {
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
  };

  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await readAll(incoming);
      if (incoming.method !== "POST") return await forward(incoming, body, outgoing);
      const isWrite = body.includes("BEGIN IMMEDIATE");
      onStatements?.(incoming.url ?? "/", body, isWrite);
      counts.total += 1;
      if (isWrite) counts.writes += 1;
      else counts.reads += 1;
      await treat(faultFor(isWrite), incoming, body, outgoing);
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

  async function treat(fault: Fault | undefined, incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse) {
    switch (fault?.kind) {
      case undefined:
        return forward(incoming, body, outgoing);
      case "delay":
        await delay(fault.ms);
        return forward(incoming, body, outgoing);
      case "late":
        return forward(incoming, body, outgoing, () => delay(fault.ms));
      case "cut":
        return forward(incoming, body, outgoing, () => {
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

  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    beforeAnswer?: () => Promise<void> | never,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const onward = httpRequest(
        new URL(incoming.url ?? "/", upstream).href,
        { agent, method: incoming.method, headers: { ...incoming.headers, host: new URL(upstream).host } },
        async (answer) => {
          try {
            const content = await readAll(answer);
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
  }

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
      counts = { reads: 0, writes: 0, total: 0 };
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

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
