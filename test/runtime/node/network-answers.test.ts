import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, test } from "vitest";
import { attempt } from "#deliver/attempt.ts";
import { networkOf, publicAddresses } from "../../../runtime/node/network.ts";
import { loopback, names, networkCall, networkServers, refusal } from "../../support/network-servers.ts";

const { answering, listen, serve } = networkServers();
const open = networkOf(loopback);

describe("a response to a call by the network client", () => {
  test("a response to a call by the network client has the server's status, headers and body, and the call sends no connection headers of the caller", async () => {
    const seen: unknown[] = [];
    const port = await serve(async (request, reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      seen.push([request.method, request.url, request.rawHeaders, Buffer.concat(chunks).toString()]);
      reply.writeHead(207, [
        ...["Retry-After", "7", "x-many", "one", "X-Many", "two", "x-latin", "caf\u00e9", "content-encoding", "gzip"],
      ]);
      reply.end("plain");
    });
    const headers = {
      ...{ "X-Own": "1", Host: "other.example", Connection: "upgrade", Upgrade: "h2c", Expect: "100-continue" },
      ...{ "Content-Length": "1", "Transfer-Encoding": "chunked", "Proxy-Authorization": "Basic eA==" },
    };
    const url = `http://user:pw@127.0.0.1:${port}/a%20b?c=1#d`;
    const answer = await open.fetch(url, { ...networkCall({ headers }), body: "é" });
    expect([answer.status, answer.ok, await answer.text()]).toEqual([207, true, "plain"]);
    expect(["retry-after", "x-many", "x-latin"].map((name) => answer.headers.get(name))).toEqual([
      "7",
      "one, two",
      "café",
    ]);
    const sent = ["X-Own", "1", "host", `127.0.0.1:${port}`, "connection", "close", "Content-Length", "2"];
    expect(seen).toEqual([["POST", "/a%20b?c=1", sent, "é"]]);
  });

  test.each([204, 205, 304])("a response with the status %i has no body and closes the connection", async (status) => {
    const closing = Promise.withResolvers<void>();
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => undefined).on("close", () => closing.resolve());
        socket.once("data", () => socket.write(`HTTP/1.1 ${status} X\r\n\r\n`));
      }),
    );
    const answer = await open.fetch(`http://127.0.0.1:${port}/`, networkCall());
    expect([answer.status, answer.body]).toEqual([status, null]);
    await closing.promise;
  });

  test("a response to a call by the network client is streamed, and canceling it closes the connection", async () => {
    const closing = Promise.withResolvers<void>();
    const port = await serve((_, reply) => {
      reply.once("close", closing.resolve);
      const more = () => {
        while (reply.writable && reply.write("x".repeat(65_536)));
        if (reply.writable) reply.once("drain", more);
      };
      more();
    });
    const { body } = await open.fetch(`http://127.0.0.1:${port}/`, networkCall());
    const reader = body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await reader?.cancel();
    await closing.promise;
  });

  test("a response to a call by the network client can be canceled while it waits for more data", async () => {
    const closing = Promise.withResolvers<void>();
    const port = await serve((_, reply) => {
      reply.once("close", closing.resolve);
      reply.write("begun");
    });
    const reader = (await open.fetch(`http://127.0.0.1:${port}/`, networkCall())).body?.getReader();
    await reader?.read();
    const pending = reader?.read();
    await reader?.cancel();
    await closing.promise;
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test("a response to a call by the network client is refused after endless interim responses, and its connection closed", {
    tags: "finding",
  }, async () => {
    const closing = Promise.withResolvers<void>();
    const port = await listen(
      createTcpServer((socket) => {
        const more = () => {
          while (socket.writable && socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"));
        };
        socket.on("error", () => undefined).on("close", () => closing.resolve());
        socket.on("drain", more).once("data", more);
      }),
    );
    expect(await refusal(open, `http://127.0.0.1:${port}/`)).toBe(
      "Error: the answer is preceded by too many interim ones",
    );
    await closing.promise;
  });

  test("a response to a call by the network client can follow interim responses", async () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    const port = await answering(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi`);
    expect(await (await open.fetch(`http://127.0.0.1:${port}/`, networkCall())).text()).toBe("hi");
  });

  test.each([
    ["that is shorter than its length", "content-length: 10\r\n\r\nhi"],
    ["with an invalid chunk", "transfer-encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n"],
    ["that ends between chunks", "transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n"],
  ])("a response %s is returned, but reading its body fails", async (_kind, rest) => {
    const port = await answering(`HTTP/1.1 200 OK\r\n${rest}`);
    const answer = await open.fetch(`http://127.0.0.1:${port}/`, networkCall());
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  const closedEarly = "the connection was closed before there was an answer";
  test.each([
    ["no bytes", "", closedEarly],
    ["half of its headers", "HTTP/1.1 200 OK\r\ncontent-", closedEarly],
    ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n", "the answer isn't HTTP"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "the answer isn't HTTP"],
    ["too many headers", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(70_000)}\r\n\r\n`, "the answer's headers are too large"],
    ["an upgrade", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", closedEarly],
    ["an unknown status", "HTTP/1.1 999 Odd\r\n\r\n", "the answer has the status 999, which HTTP doesn't know"],
  ])("a response to a call by the network client is refused if it has %s", async (_kind, text, message) => {
    expect(await refusal(open, `http://127.0.0.1:${await answering(text)}/`)).toBe(`Error: ${message}`);
  });

  test("a response to a call by the network client is returned even if it arrives before the request's body was sent", async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.end("HTTP/1.1 413 X\r\ncontent-length: 3\r\n\r\nbig"));
      }),
    );
    const answer = await open.fetch(`http://127.0.0.1:${port}/`, { ...networkCall(), body: "x".repeat(1_000) });
    expect([answer.status, await answer.text()]).toEqual([413, "big"]);
  });
});

describe("an abort signal", () => {
  const reason = new Error("enough");

  test("an abort signal aborts a call without a response, and closes its connection", async () => {
    const [arriving, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const port = await serve((_, reply) => {
      reply.once("close", closing.resolve);
      arriving.resolve();
    });
    const controller = new AbortController();
    const outcome = refusal(open, `http://127.0.0.1:${port}/`, networkCall({ signal: controller.signal }));
    await arriving.promise;
    controller.abort(reason);
    expect(await outcome).toBe("Error: enough");
    await closing.promise;
  });

  test("an abort signal aborts the body of a response, and closes its connection", async () => {
    const closing = Promise.withResolvers<void>();
    const port = await serve((_, reply) => {
      reply.once("close", closing.resolve);
      reply.write("begun");
    });
    const controller = new AbortController();
    const answer = await open.fetch(`http://127.0.0.1:${port}/`, networkCall({ signal: controller.signal }));
    const reader = answer.body?.getReader();
    await reader?.read();
    const outcome = reader?.read().then(String, String);
    controller.abort(reason);
    await closing.promise;
    expect(await outcome).toMatch(/Error/);
  });

  test("an abort signal aborts a handshake that hangs, and closes its connection", async () => {
    const [arriving, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => undefined).on("close", () => closing.resolve());
        socket.once("data", () => arriving.resolve());
      }),
    );
    const controller = new AbortController();
    const outcome = refusal(open, `https://127.0.0.1:${port}/`, networkCall({ signal: controller.signal }));
    await arriving.promise;
    controller.abort(reason);
    expect(await outcome).toBe("Error: enough");
    await closing.promise;
  });

  test("an abort signal aborts the lookup of a name that doesn't resolve", async () => {
    const controller = new AbortController();
    const network = networkOf(loopback, { lookup: () => new Promise(() => undefined) });
    const outcome = refusal(network, "http://shop.example/", networkCall({ signal: controller.signal }));
    controller.abort(reason);
    expect(await outcome).toBe("Error: enough");
  });

  test("an abort signal prevents the call if it is aborted already", async () => {
    const { lookup, asked } = names({});
    const outcome = refusal(
      networkOf(loopback, { lookup }),
      "http://shop.example/",
      networkCall({ signal: AbortSignal.abort(reason) }),
    );
    expect(await outcome).toBe("Error: enough");
    expect(asked).toEqual([]);
  });

  test("a call rejects with a timeout error if its abort signal timed out", async () => {
    const port = await serve(() => undefined);
    const outcome = refusal(open, `http://127.0.0.1:${port}/`, networkCall({ signal: AbortSignal.timeout(50) }));
    expect(await outcome).toMatch(/^TimeoutError: /);
  });
});

test("the error of a refused connection doesn't contain an address", async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  const { lookup } = names({ "shop.example": ["127.0.0.1", "::1"] });
  for (const host of ["127.0.0.1", "shop.example"]) {
    const outcome = await refusal(networkOf(loopback, { lookup }), `http://${host}:${port}/`);
    expect(outcome).toBe("Error: could not connect: the connection was refused");
  }
});

test("each call uses a new connection", async () => {
  const ports = new Set<number | undefined>();
  const port = await serve((request, reply) => {
    ports.add(request.socket.remotePort);
    reply.end();
  });
  for (let n = 0; n < 3; n += 1) await (await open.fetch(`http://127.0.0.1:${port}/`, networkCall())).text();
  expect(ports.size).toBe(3);
});

describe("a webhook delivery attempt", () => {
  const clock = { now: () => 0 };
  const post = (port: number, fetcher = open) =>
    attempt({ url: `http://127.0.0.1:${port}/`, fetcher }, { body: "{}", headers: {} }, clock);

  test("a webhook delivery attempt uses the network client, and stores the beginning of an endless response", async () => {
    const closing = Promise.withResolvers<void>();
    const port = await serve((_, reply) => {
      reply.once("close", closing.resolve);
      const more = () => {
        while (reply.writable && reply.write("x".repeat(65_536)));
        if (reply.writable) reply.once("drain", more);
      };
      more();
    });
    expect(await post(port)).toMatchObject({ isDelivered: true, status: 200, response: "x".repeat(1_000) });
    await closing.promise;
  });

  test("a webhook delivery attempt that couldn't be made has the reason as its response", async () => {
    const made = await post(1, networkOf(publicAddresses("")));
    expect(made).toMatchObject({
      isDelivered: false,
      status: undefined,
      response: "the address is not allowed",
    });
  });
});
