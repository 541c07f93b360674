import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly agent: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The request's `text` parsed as JSON, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type Behaviour = (response: ServerResponse, call: Received) => void;

/** Starts a server that responds with each behavior in turn, and then repeats the last one. */
export async function serverThat(...behaviours: Behaviour[]): Promise<{ url: string; calls: readonly Received[] }> {
  const calls: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { authorization: key = "", "user-agent": agent = "" } = request.headers;
    const { method, url: path } = request;
    const call = {
      at: performance.now(),
      method: `${method}`,
      path: `${path}`,
      key,
      agent,
      headers: request.headers,
      text,
      body: JSON.parse(text || "{}"),
    };
    calls.push(call);
    (behaviours[calls.length - 1] ?? behaviours.at(-1))?.(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const refusal = (status: number, message: string, headers?: Record<string, string>): Behaviour =>
  answer(status, { data: null, error: { status, name: "SomeError", message, details: {} } }, headers);

export const cut: Behaviour = (response) => void response.socket?.resetAndDestroy();
