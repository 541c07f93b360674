import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Connections } from "./connections.ts";
import { connectedPeer, type Peer } from "./peer.ts";
import { type At, listenAt } from "./sockets.ts";

type Answer = (request: Request) => Promise<Response>;
type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * The time for which idle connections stay open. It is longer than proxies keep them (nginx: 60 seconds), because a
 * request may be lost if the server closes a connection first.
 */
const keepAliveMs = 75_000;

/**
 * The maximum size of the headers. It equals nginx's limit, so that a request that nginx forwards isn't refused here.
 */
const maxHeaderBytes = 32 * 1024;
/** The maximum number of headers. Browsers and proxies send about 30, and each one takes time, even if it is short. */
const maxHeaders = 200;
/** Additional size for the headers in which one process sends the other the client's address. */
const addedHeaderBytes = 1024;
const headersWithinMs = 20_000;
/**
 * The time limit for a request. It is longer than the Worker's time limit for a request body, so that the Worker can
 * respond if a body is too slow.
 */
const requestWithinMs = 60_000;
const lookEveryMs = 5_000;

/** The maximum number of connections. Each takes a file descriptor and about 9 kB. */
const maxConnections = 10_000;

/** Matches a valid Host header: a name or an address, with an optional port. */
const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const closeIdleEveryMs = 20;
/** The time for which a closing server waits for requests whose headers are incomplete. */
const headersEndWithinMs = 1_000;
/** The time for which a closing server waits for all responses, including those that a client doesn't read. */
const answersEndWithinMs = 12_000;

export interface ListeningServer {
  /** Accepts no new connections, and resolves once the open ones have their responses. */
  close(): Promise<void>;
}

export interface Listener {
  readonly at: At;
  readonly answer: Answer;
  /**
   * Returns the client's address for the request's `cf`, as in workerd. If it returns undefined, the request is
   * refused. The default is the connection's address.
   */
  readonly peerOf?: (incoming: IncomingMessage) => Peer | undefined;
  /** Requests that another process answers. The default is none. */
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
    // The host of HTTP/1.0 requests, which may lack a Host header.
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
  // 0 turns off Node's own limit, above which Node would drop headers without an error.
  server.maxHeadersCount = 0;
  server.maxConnections = Math.min(maxConnections, openFiles() / 2);
  const connections = new Connections(server);
  await listenAt(server, at);
  return { close: () => closed(server, connections) };
}

/** Returns the number of files that this process may have open, if the system reports it. */
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
      // If a response was in progress when the close began, the client keeps its connection open after the response.
      // These connections are closed here.
      setInterval(() => server.closeIdleConnections(), closeIdleEveryMs),
      // `server.close` also turns off Node's own time limits for requests, so these timers replace them.
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

/** Encodes a body as the Worker's headers state. The runtime has to do this, as workerd does. */
function encoded(answer: Response): Response {
  if (answer.headers.get("content-encoding") !== "gzip" || answer.body === null) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(new CompressionStream("gzip")), { status, headers });
}
