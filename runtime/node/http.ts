import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Connections } from "./connections.ts";
import { connectedPeer, type Peer } from "./peer.ts";
import { type At, listenAt } from "./sockets.ts";

type Answer = (request: Request) => Promise<Response>;
type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Longer than that of proxies, of which nginx has 60 seconds: one that closes first may lose a request. */
const keepAliveMs = 75_000;

/** The same as nginx's limit: a request that it forwards isn't refused here. */
const maxHeaderBytes = 32 * 1024;
/** Browsers and proxies send some 30. Each takes time, however short it is. */
const maxHeaders = 200;
/** For the headers by which the other process passes the peer on. */
const addedHeaderBytes = 1024;
const headersWithinMs = 20_000;
/** Beyond the patience with a body, so that a call that is read gets its answer. */
const requestWithinMs = 60_000;
const lookEveryMs = 5_000;

/** Each has a file's descriptor, and some 9 kB. */
const maxConnections = 10_000;

/** A name or an address, and a port. */
const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const closeIdleEveryMs = 20;
/** For a request whose headers are incomplete. */
const headersEndWithinMs = 1_000;
/** For an answer that its client doesn't read, for example. */
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
    // For requests by HTTP/1.0 without a Host.
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
  // Node would drop headers beyond its own limit.
  server.maxHeadersCount = 0;
  server.maxConnections = Math.min(maxConnections, openFiles() / 2);
  const connections = new Connections(server);
  await listenAt(server, at);
  return { close: () => closed(server, connections) };
}

/** Limit of this process, as far as the system reports it. */
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
      // A connection whose answer was in progress is kept alive by its client.
      setInterval(() => server.closeIdleConnections(), closeIdleEveryMs),
      // Closing ends the time limits of requests.
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

/** The Worker sets the encoding of a body, and the runtime encodes it, as workerd does. */
function encoded(answer: Response): Response {
  if (answer.headers.get("content-encoding") !== "gzip" || answer.body === null) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(new CompressionStream("gzip")), { status, headers });
}
