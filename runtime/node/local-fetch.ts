import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

export interface LocalRequest {
  readonly method?: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The path of the socket to connect to. The default is the URL's host and port. */
  readonly socketPath?: string;
  readonly signal: AbortSignal;
}

/** Uses no proxy, unlike Node's global agent, which uses the environment's proxy if NODE_USE_ENV_PROXY is set. */
const agent = new Agent({ keepAlive: false });

const bodiless = [204, 205, 304];

/**
 * Sends a request to a server on this machine like `fetch`, but independent of the environment's proxy. Follows no
 * redirect.
 */
export async function localFetch(url: string, { signal, body, ...options }: LocalRequest): Promise<Response> {
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(url, { ...options, agent, signal }, resolve);
      request.once("error", reject);
      request.end(body);
    });
    const { statusCode: status = 0 } = answer;
    const bytes = new Uint8Array(await buffer(answer));
    return new Response(bodiless.includes(status) ? null : bytes, { status });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
