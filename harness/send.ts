import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * The time for which idle connections are kept. It is shorter than servers keep them, because a server may close a
 * connection exactly when a request is sent.
 */
const maxIdleMs = 3_000;

const agent = new Agent({ keepAlive: true, timeout: maxIdleMs });

/** The headers of a program that doesn't identify itself. */
const usual = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" };

/**
 * Sends one request to a server on this machine like `fetch`, in a third of the processor time. Follows no redirect.
 */
export function send(address: string, { method, headers, body, signal }: SentRequest): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    // Set explicitly, because Node wouldn't send the length of a DELETE.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = { ...usual, ...length, ...headers };
    const options = { agent, method, headers: sent, ...(signal !== undefined && { signal }) };
    const outgoing = httpRequest(new URL(address), options, (incoming) => {
      received(incoming).then(resolve, reject);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function received(incoming: IncomingMessage): Promise<ReceivedAnswer> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const text = new TextDecoder().decode(await buffer(incoming));
  return { status: incoming.statusCode ?? 0, headers, text };
}
