import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Connections } from "./connections.ts";
import { connectedPeer, type Peer } from "./peer.ts";
import { type At, listenAt } from "./sockets.ts";

type Answer = (request: Request) => Promise<Response>;
type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * How long idle connections stay open. It is longer than proxies keep them (nginx: 60 seconds), because a request may
 * be lost if the server closes a connection first.
 */
const keepAliveMs = 75_000;

/** The same as nginx's limit, so that a request that it forwards isn't refused here. */
const maxHeaderBytes = 32 * 1024;
/** Maximum number of headers. Browsers and proxies send some 30, and each takes time, however short it is. */
const maxHeaders = 200;
/** Room for the headers by which one process tells the other the peer. */
const addedHeaderBytes = 1024;
const headersWithinMs = 20_000;
/**
 * Time limit for a request. It is longer than the time for a body, so that a request that is being read gets its
 * answer.
 */
const requestWithinMs = 60_000;
const lookEveryMs = 5_000;

/** Each connection takes a file descriptor and some 9 kB. */
const maxConnections = 10_000;

/** The Host header: a name or an address, and a port. */
const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const closeIdleEveryMs = 20;
/** When the server closes, time for a request whose headers are incomplete. */
const headersEndWithinMs = 1_000;
/** When the server closes, time for all answers, including those that a client doesn't read. */
const answersEndWithinMs = 12_000;

export interface ListeningServer {
  /** Accepts no new connections, and resolves once the open ones have their answers. */
  close(): Promise<void>;
}

export interface Listener {
  readonly at: At;
  readonly answer: Answer;
  /**
   * Returns the client's address for the request's `cf`, as in workerd. Undefined: the request is refused. Default:
   * the connection's address.
   */
  readonly peerOf?: (incoming: IncomingMessage) => Peer | undefined;
  /** Requests that another process answers. Default: none. */
  readonly passOn?: { readonly isFor: (path: string) => boolean; readonly handle: Handle };
}

export async function listen({ at, answer, peerOf = connectedPeer, passOn }: Listener): Promise<ListeningServer> {
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const peer = peerOf(incoming as IncomingMessage);
      if (peer === undefined) return new Response(null, { status: 403 });
      Object.defineProperty(request, "cf", { value: peer });
      return encoded(await answer(request));
    },
    // The host of requests by HTTP/1.0, which may have no Host header.
    { hostname: typeof at === "string" ? "localhost" : at.host },
  );
  const timeouts = { keepAliveTimeout: keepAliveMs, headersTimeout: headersWithinMs, requestTimeout: requestWithinMs };
  const maxHeaderSize = maxHeaderBytes + (peerOf === connectedPeer ? 0 : addedHeaderBytes);
  const limits = { ...timeouts, connectionsCheckingInterval: lookEveryMs, maxHeaderSize };
  const server = createServer(limits, (incoming, outgoing) => {
    if (incoming.rawHeaders.length > 2 * maxHeaders) outgoing.writeHead(431, { connection: "close" }).end();
    // Node would use the first of several Host headers. One with a path would become part of the request's URL.
    else if (hostsIn(incoming) > 1 || !isHost.test(incoming.headers.host ?? "localhost"))
      outgoing.writeHead(400, { connection: "close" }).end();
    else connections.take(incoming.socket, outgoing, () => handle(incoming, outgoing));
  });
  const handle: Handle = (incoming, outgoing) => {
    if (passOn?.isFor(incoming.url ?? "/")) passOn.handle(incoming, outgoing);
    else void listener(incoming, outgoing);
  };
  server.on("connect", (_, socket) => socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n"));
  // Otherwise Node would drop headers beyond its own limit, without an error.
  server.maxHeadersCount = 0;
  server.maxConnections = Math.min(maxConnections, openFiles() / 2);
  const connections = new Connections(server);
  await listenAt(server, at);
  return { close: () => closed(server, connections) };
}

/** How many files this process may have open, as far as the system reports it. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const closed = (server: Server, connections: Connections): Promise<void> =>
  new Promise((resolve) => {
    server.on("request", (_, response: ServerResponse) => response.setHeader("connection", "close"));
    const steps = [
      // Closes connections that became idle since: clients keep a connection alive whose answer was in progress.
      setInterval(() => server.closeIdleConnections(), closeIdleEveryMs),
      // `close` also ends Node's own time limits of requests.
      setTimeout(() => connections.closeWaiting(), headersEndWithinMs),
      setTimeout(() => server.closeAllConnections(), answersEndWithinMs),
    ];
    server.close(() => {
      for (const step of steps) clearTimeout(step);
      resolve();
    });
  });

const hostsIn = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === "host").length;

/** Encodes a body as the Worker's headers say, which the runtime has to do, as workerd does. */
function encoded(answer: Response): Response {
  if (answer.headers.get("content-encoding") !== "gzip" || answer.body === null) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(new CompressionStream("gzip")), { status, headers });
}
