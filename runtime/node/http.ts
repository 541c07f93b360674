import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";

type Answer = (request: Request) => Promise<Response>;

/** Longer than that of proxies, of which nginx has 60 seconds: one that closes first may lose a request. */
const keepAliveMs = 75_000;

const closeIdleEveryMs = 20;

export interface ListeningServer {
  /** Takes no new connections, and resolves once those that are open have their answers. */
  close(): Promise<void>;
}

/** Calls `answer` with requests that have the peer's address in `cf`, as workerd's have. */
export async function listen(
  { host, port }: { readonly host: string; readonly port: number },
  answer: Answer,
): Promise<ListeningServer> {
  const listener = getRequestListener(
    async (request, { incoming }) => {
      Object.defineProperty(request, "cf", { value: peerOf(incoming.socket) });
      return encoded(await answer(request));
    },
    // Of requests by HTTP/1.0 without a Host.
    { hostname: host },
  );
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    // Node would take the first.
    if (hostsIn(incoming) > 1) outgoing.writeHead(400, { connection: "close" }).end();
    else void listener(incoming, outgoing);
  });
  server.on("connect", (_, socket) => socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return { close: () => closed(server) };
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.on("request", (_, response: ServerResponse) => response.setHeader("connection", "close"));
    // A connection whose answer was under way is kept alive by its client.
    const closing = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
    server.close(() => {
      clearInterval(closing);
      resolve();
    });
  });

const hostsIn = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === "host").length;

interface Peer {
  readonly clientIp: string;
}

const peers = new WeakMap<Socket, Peer>();

function peerOf(socket: Socket): Peer {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress = "", remotePort = 0 } = socket;
  const peer = {
    clientIp: remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
  };
  peers.set(socket, peer);
  return peer;
}

/** The Worker says what encoding a body is to get: workerd encodes it. */
function encoded(answer: Response): Response {
  if (answer.headers.get("content-encoding") !== "gzip" || answer.body === null) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(new CompressionStream("gzip")), { status, headers });
}
