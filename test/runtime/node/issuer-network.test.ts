import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issuerNetworkOf } from "../../../runtime/node/issuer-network.ts";

const path = "/.well-known/openid-configuration";
let servers: readonly Server[] = [];
let metadata = "";

function origin(i: number): string {
  const address = servers[i]?.address();
  if (typeof address !== "object" || address === null) throw new Error("the servers start before the tests");
  return `http://127.0.0.1:${address.port}`;
}
const issuer = () => origin(0);
const keys = () => origin(1);
const other = () => origin(2);

beforeAll(async () => {
  servers = [0, 1, 2].map((i) =>
    createServer((request, response) => response.end(request.url === path ? metadata : `server ${i}`)),
  );
  await Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
  );
  metadata = JSON.stringify({ issuer: issuer(), jwks_uri: `${keys()}/keys`, introspection_endpoint: other() });
});
afterAll(() => {
  for (const server of servers) server.close();
});

const call = () =>
  ({ method: "GET", headers: {}, body: "", redirect: "manual", signal: AbortSignal.timeout(10_000) }) as const;

test("the OIDC client reaches only the issuer's host, and after reading the issuer's metadata also the hosts of the endpoints in it", async () => {
  const network = issuerNetworkOf(issuer());
  const textAt = async (url: string) => (await network.fetch(url, call())).text();
  const elsewhere = "the host isn't the identity provider's";
  expect(await textAt(`${issuer()}/token`)).toBe("server 0");
  await expect(textAt(`${keys()}/keys`)).rejects.toThrow(elsewhere);
  expect(await textAt(`${issuer()}${path}`)).toBe(metadata);
  expect(await textAt(`${keys()}/keys`)).toBe("server 1");
  await expect(textAt(`${other()}/`)).rejects.toThrow(elsewhere);
});

test("the OIDC client refuses issuer metadata that never ends", async () => {
  const given = metadata;
  metadata = "x".repeat(600_000);
  await expect(issuerNetworkOf(issuer()).fetch(`${issuer()}${path}`, call())).rejects.toThrow("too large");
  metadata = given;
});
