import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { Pace } from "./pace.ts";
import { connectedPeer, peerHeader, tokenHeader } from "./peer.ts";

/** The response if the other process is unavailable, in the format of the Worker's refusals (docs/errors.md). */
const unavailable = {
  data: null,
  error: {
    status: 503,
    name: "ServiceUnavailableError",
    message: "The dashboard and the lists start again. Tracking goes on. Try again.",
    details: {},
  },
} as const;

const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const notPassed: ReadonlySet<string> = new Set([...hopByHop, peerHeader, tokenHeader]);

/** The time limit for silence. No response takes this long to begin or to continue. */
const silentMs = 60_000;
const maxUnderWay = 512;
/**
 * The bandwidth limit for all responses together. Copying them takes time of the tracking process, which delays sales.
 */
const paceOfAnswers = { bytesPerMs: 50_000, burstBytes: 2_000_000 } as const;

/**
 * Forwards requests, as streams, to the process that listens at `socketPath`. Adds the client's address in headers that
 * outside callers can't forge.
 */
export function passingOnTo(socketPath: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });
  const pace = new Pace(paceOfAnswers);
  let underWay = 0;
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (underWay >= maxUnderWay) {
      refuse(outgoing);
      return;
    }
    underWay += 1;
    const { method, url: path } = incoming;
    const headers = [...passedHeaders(incoming), tokenHeader, token, peerHeader, connectedPeer(incoming).clientIp];
    const onward = request({ agent, socketPath, method, path, headers, timeout: silentMs }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept(answer.rawHeaders, hopByHop));
      // Resets the connection. Otherwise an HTTP/1.0 response that breaks off would look like a complete one.
      answer.once("error", () => outgoing.socket?.resetAndDestroy());
      // If the client leaves or the response breaks off, the pipeline also ends the other side.
      pipeline(answer, pace.stream(), outgoing, () => {});
    });
    onward.once("timeout", () => onward.destroy());
    onward.on("error", () => (outgoing.headersSent ? outgoing.socket?.resetAndDestroy() : refuse(outgoing)));
    // Not `pipeline`, which would break off a response that comes before the whole request body was sent, as some
    // refusals do.
    incoming.pipe(onward);
    incoming.on("error", () => onward.destroy());
    outgoing.once("close", () => {
      underWay -= 1;
      onward.destroy();
      // Drains the rest of the body, because the connection's next call follows it.
      incoming.unpipe(onward).resume();
    });
  };
}

function passedHeaders(incoming: IncomingMessage): string[] {
  const headers = kept(incoming.rawHeaders, notPassed);
  // HTTP/1.0 requires no Host header. This request is forwarded by HTTP/1.1, which does.
  if (!("host" in incoming.headers)) headers.push("host", "localhost");
  return "transfer-encoding" in incoming.headers ? [...headers, "transfer-encoding", "chunked"] : headers;
}

const kept = (rawHeaders: readonly string[], without: ReadonlySet<string>): string[] =>
  rawHeaders.flatMap((name, i) =>
    i % 2 === 1 || without.has(name.toLowerCase()) ? [] : [name, rawHeaders[i + 1] ?? ""],
  );

function refuse(outgoing: ServerResponse): void {
  const headers = { "content-type": "application/json", "retry-after": "5", "cache-control": "no-store" };
  outgoing.writeHead(503, headers).end(JSON.stringify(unavailable));
}
