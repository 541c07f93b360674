import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Fault, type FaultScope, Faults } from "./faults.ts";
import { startFileProxy } from "./file-database-proxy.ts";
import { listenOn } from "./proxy-socket.ts";
import { type AnswerCounts, noRequests, type RequestCounts, withRequest } from "./request-counts.ts";

export interface DatabaseProxy {
  readonly url: string;
  /** The port that a service in one process asks before each batch. Set only for a database file. */
  readonly inProcess?: { readonly file: string; readonly port: number };
  /** The number of requests with statements since the start or `resetCounts`, without the client's protocol probe. */
  readonly counts: Readonly<RequestCounts & AnswerCounts>;
  resetCounts(): void;
  /**
   * Causes a fault from now on. Of several matching faults, the latest one applies. Returns a function that removes the
   * fault.
   */
  inject(fault: Fault, scope?: FaultScope): () => void;
  /** Removes all faults. Requests that never get a response still get none. */
  heal(): void;
  disconnect(): Promise<void>;
  connect(): Promise<void>;
  close(): Promise<void>;
}

const nothingCounted: RequestCounts & AnswerCounts = { ...noRequests, rows: 0, rowsWritten: 0, bytes: 0 };

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}
type Forward = (exchange: Exchange, beforeAnswer?: () => Promise<void> | never) => Promise<void>;

export async function startDatabaseProxy(
  upstream: string,
  onStatements?: (path: string, body: Buffer, isWrite: boolean) => void,
): Promise<DatabaseProxy> {
  if (upstream.startsWith("file:")) {
    if (onStatements !== undefined) throw new Error("a database file gets no requests: their statements need a server");
    return startFileProxy(upstream);
  }
  const agent = new Agent({ keepAlive: true });
  let counts = { ...nothingCounted };
  const forward = forwardTo(upstream, agent, (answer) => {
    counts = withAnswer(counts, answer);
  });
  const faults = new Faults();

  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await readAll(incoming);
      const exchange = { incoming, body, outgoing };
      if (incoming.method !== "POST") return await forward(exchange);
      const isWrite = body.includes("BEGIN IMMEDIATE");
      onStatements?.(incoming.url ?? "/", body, isWrite);
      counts = { ...counts, ...withRequest(counts, isWrite, body.toString().split(wantsRows).length - 1) };
      await treat(faults.take(isWrite), exchange, forward);
    } catch {
      outgoing.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  const socket = await listenOn(server);

  return {
    get url() {
      return `http://127.0.0.1:${socket.port}`;
    },
    get counts() {
      return { ...counts };
    },
    resetCounts: () => {
      counts = { ...nothingCounted };
    },
    inject: faults.inject,
    heal: faults.heal,
    disconnect: socket.disconnect,
    connect: socket.connect,
    close: async () => {
      if (socket.isListening) await socket.disconnect();
      agent.destroy();
    },
  };
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

const withAnswer = (counts: RequestCounts & AnswerCounts, answer: Buffer): RequestCounts & AnswerCounts => ({
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
