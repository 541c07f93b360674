import { createServer as createSecureServer } from "node:https";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { networkOf } from "../../../runtime/node/network.ts";
import { certify } from "../../support/certify.ts";
import { loopback, names, networkCall, networkServers, refusal } from "../../support/network-servers.ts";

const { listen, serve } = networkServers();

describe("a call by the network client over TLS", () => {
  let ports: { readonly named: number; readonly other: number };
  let certificateAuthorities: readonly string[];
  const heard: unknown[] = [];

  beforeAll(async () => {
    const named = certify("DNS:shop.example,IP:127.0.0.1");
    const other = certify("DNS:other.example");
    certificateAuthorities = [named.cert, other.cert];
    const secured = (options: typeof named) =>
      listen(
        createSecureServer(options, (request, reply) => {
          heard.push([Reflect.get(request.socket, "servername"), request.headers.host, request.url]);
          reply.end("sealed");
        }),
      );
    ports = { named: await secured(named), other: await secured(other) };
  });

  const { lookup } = names({ "shop.example": ["127.0.0.1"], "shop.example.": ["127.0.0.1"] });
  const trusting = () => networkOf(loopback, { lookup, certificateAuthorities });

  test.each([
    ["shop.example", "shop.example"],
    ["shop.example.", "shop.example"],
    ["127.0.0.1", false],
  ])("a call by the network client over TLS to the host %s checks the certificate's name", async (host, servername) => {
    const answer = await trusting().fetch(`https://${host}:${ports.named}/x`, networkCall());
    expect(await answer.text()).toBe("sealed");
    expect(heard.at(-1)).toEqual([servername, `${host}:${ports.named}`, "/x"]);
  });

  test.each([
    ["isn't trusted", "named", () => networkOf(loopback, { lookup }), "the certificate is signed by itself"],
    ["is for another name", "other", trusting, "the certificate is another host's"],
  ] as const)("a TLS call sends nothing if the certificate %s, in any environment", async (_kind, name, of, cause) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const before = heard.length;
    const network = of();
    expect(await refusal(network, `https://shop.example:${ports[name]}/`)).toBe(`Error: TLS failed: ${cause}`);
    vi.unstubAllEnvs();
    expect(heard.length).toBe(before);
  });

  test("a call by the network client over TLS closes the connection if its response is canceled", async () => {
    const closing = Promise.withResolvers<void>();
    const own = certify("IP:127.0.0.1");
    const port = await listen(
      createSecureServer(own, (_, reply) => {
        reply.once("close", closing.resolve);
        reply.write("begun");
      }),
    );
    certificateAuthorities = [...certificateAuthorities, own.cert];
    const answer = await trusting().fetch(`https://127.0.0.1:${port}/`, networkCall());
    await answer.body?.cancel();
    await closing.promise;
  });

  test("a call by the network client over TLS fails if the server has no TLS", async () => {
    const port = await serve((_, reply) => reply.end());
    expect(await refusal(trusting(), `https://127.0.0.1:${port}/`)).toMatch(/^Error: TLS failed: ERR_SSL_/);
  });
});
