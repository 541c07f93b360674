import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterAll } from "vitest";
import { type networkOf, publicAddresses } from "../../runtime/node/network.ts";

export const networkCall = (
  more: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{}",
  redirect: "manual" as const,
  signal: AbortSignal.timeout(30_000),
  ...more,
});

export const loopback = publicAddresses("127.0.0.0/8,::1/128");

/** Returns the reason why nothing was sent, or the status of the response. */
export const refusal = (network: ReturnType<typeof networkOf>, url: string, call = networkCall()): Promise<string> =>
  network.fetch(url, call).then(({ status }) => `answered with ${status}`, String);

/** A resolver that returns the addresses in the list. */
export const names = (list: Readonly<Record<string, readonly string[]>>) => {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (name: string) => {
      asked.push(name);
      const found = list[name];
      if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
      return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  };
};

/** Starts servers that stop at the end of the file, and returns their ports. Call it at the top of the file. */
export function networkServers() {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });

  async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
    servers.push(server);
    server.on("connection", (socket: Socket) => sockets.add(socket));
    server.listen(0, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  return {
    listen,
    serve: (listener: RequestListener) => listen(createServer(listener)),
    /** Responds to any request with these bytes. */
    answering: (text: string) =>
      listen(
        createTcpServer((socket) => {
          socket.on("error", () => undefined);
          socket.once("data", () => socket.end(text));
        }),
      ),
  };
}
