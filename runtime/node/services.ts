import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

type Service = Pick<Fetcher, "fetch">;

const hopByHop = ["connection", "keep-alive", "transfer-encoding", "content-length"];

/** A server on 127.0.0.1, whatever the host of a request's address. */
export function serverAt(port: number): Service {
  const fetchThere = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const answer = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, init);
    const headers = new Headers(answer.headers);
    for (const name of hopByHop) headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers });
  };
  return { fetch: fetchThere };
}

/** What listens at the path of a socket. */
export function serverAtSocket(socketPath: string): Service {
  const fetchThere = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname, host } = new URL(input instanceof Request ? input.url : input);
    const { method = "GET", body, headers, signal } = init;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const given = { ...Object.fromEntries(new Headers(headers)), host };
      const asked = request(
        { socketPath, path: pathname, method, headers: given, signal: signal ?? undefined },
        resolve,
      );
      asked.once("error", reject);
      asked.end(typeof body === "string" ? body : undefined);
    });
    const text = await readText(answer);
    const { statusCode: status = 502 } = answer;
    return new Response(status === 204 ? null : text, { status });
  };
  return { fetch: fetchThere };
}

/** Files of a folder. Their names are known, from the build: no name leads out of it. */
export function filesIn(directory: string): Service {
  const fetchFile = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const file = await readFile(join(directory, decodeURIComponent(pathname))).catch(() => undefined);
    if (file === undefined) return new Response(null, { status: 404 });
    const headers = { "content-length": String(file.length) };
    return new Response(init?.method === "HEAD" ? null : new Uint8Array(file), { headers });
  };
  return { fetch: fetchFile };
}
