import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { passingOnTo } from "../../../runtime/node/pass-on.ts";
import { connectedPeer, toldPeer } from "../../../runtime/node/peer.ts";
import { uniqueWord } from "../../support/unique-word.ts";

const token = "t";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const socketPath = () => join(tmpdir(), `${uniqueWord()}.sock`);

async function started(listener: RequestListener, at: string | number = 0): Promise<Server> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) =>
    typeof at === "string" ? server.listen(at, resolve) : server.listen(at, "127.0.0.1", resolve),
  );
  return server;
}

/** Starts a proxy that forwards every request to the desk process. Without `desk`, no process listens there. */
async function ledger(desk?: RequestListener): Promise<string> {
  const path = socketPath();
  if (desk !== undefined) await started(desk, path);
  const { port } = (await started(passingOnTo(path, token))).address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const told = (incoming: IncomingMessage) =>
  JSON.stringify({ peer: toldPeer(incoming, token), headers: incoming.headers });

it("the proxy to the desk process forwards the method, target, headers and body, and returns the response", async () => {
  const url = await ledger(async (incoming, outgoing) => {
    const { method, url: target, headers } = incoming;
    outgoing.writeHead(
      201,
      [
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["x-answer", "yes"],
      ].flat(),
    );
    outgoing.end(JSON.stringify([method, target, headers["x-asked"], await text(incoming)]));
  });
  const answer = await fetch(`${url}/a%2Fb?c=%20d`, { method: "PUT", headers: { "x-asked": "é" }, body: "hello" });
  expect(answer.status).toBe(201);
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await answer.json()).toEqual(["PUT", "/a%2Fb?c=%20d", "é", "hello"]);
});

it("the proxy to the desk process forwards the connection's address, whatever a caller sends", async () => {
  const url = await ledger((incoming, outgoing) => outgoing.end(told(incoming)));
  const headers = { "X-Tributary-Peer": "192.0.2.1 1", "x-tributary-token": "guess" };
  const { peer } = (await (await fetch(url, { headers })).json()) as { peer: { clientIp: string } };
  expect(peer.clientIp).toMatch(/^127\.0\.0\.1:\d+$/);
});

it("to the desk process, a request without the proxy's token has no known client address", async () => {
  const path = socketPath();
  await started((incoming, outgoing) => outgoing.end(told(incoming)), path);
  const answer = await new Promise<IncomingMessage>((resolve) =>
    request({ socketPath: path, headers: { "x-tributary-peer": "192.0.2.1 1" } }, resolve).end(),
  );
  expect(JSON.parse(await text(answer)).peer).toBeUndefined();
});

it("an IPv6 client has the same address in the desk process as in a service of one process", () => {
  const headers = { "x-tributary-token": token, "x-tributary-peer": "[2001:db8::1]:4000" };
  const socket = { remoteAddress: "2001:db8::1", remotePort: 4_000 };
  expect(toldPeer({ headers }, token)).toEqual(connectedPeer({ socket }));
});

it("the proxy to the desk process forwards a body and a response in parts as they arrive", async () => {
  const url = await ledger((incoming, outgoing) => {
    outgoing.writeHead(200);
    incoming.on("data", (part: Buffer) => outgoing.write(part));
    incoming.on("end", () => outgoing.end());
  });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.setEncoding("utf8").on("data", (part) => {
    answer += part;
  });
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
  await expect.poll(() => answer).toContain("first");
  expect(answer).not.toContain("second");
  socket.write("6\r\nsecond\r\n0\r\n\r\n");
  await expect.poll(() => answer).toContain("second");
  socket.destroy();
});

it("the proxy to the desk process pauses a response while its reader doesn't read", async () => {
  let written = 0;
  const url = await ledger((_, outgoing) => {
    const part = "x".repeat(100_000);
    const write = () => {
      do written += part.length;
      while (outgoing.write(part) && written < 1e9);
    };
    outgoing.on("drain", write);
    write();
  });
  const { body } = await fetch(url);
  await expect.poll(() => written).toBeGreaterThan(0);
  const seen: number[] = [];
  const rests = () => seen.push(written) > 1 && seen.at(-1) === seen.at(-2);
  await expect.poll(rests, { interval: 300 }).toBe(true);
  expect(written).toBeLessThan(100_000_000);
  await body?.cancel();
});

it("the desk process stops its work for a client that has disconnected", async () => {
  const left = Promise.withResolvers<void>();
  const controller = new AbortController();
  const url = await ledger((incoming) => {
    incoming.on("close", left.resolve);
    controller.abort();
  });
  const asked = fetch(url, { signal: controller.signal });
  await expect(asked).rejects.toThrow("aborted");
  await left.promise;
});

it("an HTTP/1.0 request without a Host header is forwarded", async () => {
  const url = await ledger((incoming, outgoing) => outgoing.end(`at ${incoming.headers.host}`));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write("GET / HTTP/1.0\r\n\r\n"));
  expect(await text(socket)).toContain("at localhost");
});

it("an early refusal is returned while a body is still arriving", async () => {
  const url = await ledger((_, outgoing) => outgoing.writeHead(413, { connection: "close" }).end("too large"));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.setEncoding("utf8").on("data", (part) => {
    answer += part;
  });
  socket.on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nxxx");
  await expect.poll(() => answer).toContain("HTTP/1.1 413");
  socket.destroy();
});

it("a connection accepts another call after a refusal that was sent before the refused call's body ended", {
  tags: "finding",
}, async () => {
  const url = await ledger((incoming, outgoing) => {
    const isRefused = incoming.url === "/refused";
    outgoing.writeHead(isRefused ? 403 : 200).end(isRefused ? "no" : "yes");
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const call = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const asked = request(`${url}${path}`, { agent, method: "POST" }, (answer) => text(answer).then(resolve, reject));
      asked.on("error", reject);
      asked.write("a".repeat(50_000));
      setTimeout(() => asked.end("b".repeat(500_000)), 20);
    });
  for (let n = 0; n < 5; n += 1) expect([await call("/refused"), await call("/")]).toEqual(["no", "yes"]);
});

it("the proxy returns 503 with Retry-After while no desk process listens", async () => {
  const answer = await fetch(await ledger());
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await answer.json()).toMatchObject({ data: null, error: { status: 503, name: "ServiceUnavailableError" } });
});

it("a reader can detect that the desk process has aborted a response", async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const url = await ledger((_, outgoing) => {
    outgoing.writeHead(200, { "content-length": "100" }).write("half");
    begun.resolve(outgoing);
  });
  const answer = await fetch(url);
  (await begun.promise).destroy();
  await expect(answer.text()).rejects.toThrow();
});

it("the connection is reset if a response is aborted, because an HTTP/1.0 client would take a normal end for a complete response", {
  tags: "finding",
}, async () => {
  const url = await ledger((_, outgoing) => {
    outgoing.write("half of ");
    setTimeout(() => outgoing.destroy(), 50);
  });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.0\r\n\r\n");
  socket.resume();
  const ended = await new Promise((resolve) => {
    socket.once("error", ({ message }) => resolve(message));
    socket.once("end", () => resolve("complete"));
  });
  expect(ended).toContain("ECONNRESET");
});
