import { readFile } from "node:fs/promises";
import { join } from "node:path";

type Service = Pick<Fetcher, "fetch">;

const hopByHop = ["connection", "keep-alive", "transfer-encoding", "content-length"];

/** A binding to a server on 127.0.0.1, regardless of the host in a request's URL. */
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

/**
 * A binding to the files of a folder. Callers request only names that the build contains, and none of these names leads
 * out of the folder.
 */
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
