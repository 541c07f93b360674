import { setGlobalProxyFromEnv } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { localFetch } from "../../runtime/node/local-fetch.ts";
import { networkServers } from "../support/network-servers.ts";

const { listen, serve } = networkServers();
const soon = () => AbortSignal.timeout(10_000);

test("a call to this machine ignores the proxy in the environment", async () => {
  let proxied = 0;
  const reached = new AbortController();
  const proxy = createServer((socket) => {
    proxied += 1;
    socket.destroy();
    // Otherwise, the fetch would retry without end.
    reached.abort();
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy, "127.0.0.1")}`;
  const port = await serve(async (request, answer) => {
    answer.writeHead(201).end(`${request.method} ${request.headers.authorization} ${await text(request)}`);
  });
  onTestFinished(setGlobalProxyFromEnv({ http_proxy: proxyUrl, no_proxy: "" }));
  const url = `http://127.0.0.1:${port}/`;
  const answer = await localFetch(url, {
    method: "PUT",
    headers: { authorization: "Bearer x" },
    body: "report",
    signal: soon(),
  });
  expect([answer.status, await answer.text()]).toEqual([201, "PUT Bearer x report"]);
  expect(proxied).toBe(0);
  await expect(fetch(url, { signal: reached.signal })).rejects.toThrow();
  expect(proxied).toBeGreaterThan(0);
});

test("a call to this machine without a response rejects with the reason of its abort signal", async () => {
  const port = await serve(() => undefined);
  const abort = new AbortController();
  const call = localFetch(`http://127.0.0.1:${port}/`, { signal: abort.signal });
  const reason = new DOMException("too late", "TimeoutError");
  abort.abort(reason);
  await expect(call).rejects.toBe(reason);
});
