import { createServer, setGlobalProxyFromEnv } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { type AddressRule, anyAddress, networkOf, publicAddresses } from "../../../runtime/node/network.ts";
import { loopback, names, networkCall, networkServers, refusal } from "../../support/network-servers.ts";

const { listen, serve } = networkServers();
const open = networkOf(loopback);
const notAllowed = "Error: the address is not allowed";
const noneAllowed = "Error: there is no such host, or it has no address that is allowed";

let canary = 0;
let connections = 0;
let closed = 0;
let bytes = 0;
beforeAll(async () => {
  const count = (socket: Socket) => {
    connections += 1;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    socket.on("close", () => {
      closed += 1;
    });
    socket.on("error", () => undefined);
  };
  // Listens on IPv4 and IPv6, because a connection to an IPv4-mapped address arrives by IPv4.
  canary = await listen(createTcpServer(count), "::");
});

const forbidden = {
  loopback: ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:1"],
  "this machine": ["0.0.0.0", "0.1.2.3", "::"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1"],
  "a provider's internal network": ["100.64.0.1", "100.127.255.255"],
  "link-local": ["169.254.169.254", "fe80::1", "febf::1", "fe80::1%lo", "::ffff:169.254.169.254"],
  reserved: [
    "192.0.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "192.88.99.1",
    "168.63.129.16",
    "200::1",
    "4000::1",
    "8000::1",
    "5f00::1",
    "100::1",
    "240.0.0.1",
    "255.255.255.255",
  ],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "an IPv4 address inside an IPv6 one": [
    ...["::127.0.0.1", "::7f00:1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8"],
    ...["64:ff9b:1::7f00:1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2002:7f00:1::", "2001:1ff::1"],
    ...["2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1", "2003:1:2:3:0:5EFE:8.8.8.8"],
  ],
  "text that isn't an address": ["", "localhost", "1.2.3", "/tmp/socket"],
};

describe("public addresses", () => {
  test.each(Object.entries(forbidden))("public addresses exclude %s", (_kind, addresses) => {
    const rule = publicAddresses("");
    expect(addresses.filter(rule.isAllowed)).toEqual([]);
  });

  test("public addresses include all addresses outside the excluded ranges", () => {
    const edges = ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"];
    const more = ["128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0"];
    const v6 = [
      "2001:200::1",
      "2003::",
      "2606:4700::1111",
      "::ffff:8.8.8.8",
      "2606:4700:0:5efe::1",
      "2606::5eff:7f00:1",
    ];
    expect(
      [...edges, ...more, ...v6, "223.255.255.255"].filter((each) => !publicAddresses("").isAllowed(each)),
    ).toEqual([]);
  });

  test.each([
    ["127.0.0.1/32", "127.0.0.1", "127.0.0.2"],
    ["10.1.0.0/16", "10.1.2.3", "10.2.0.1"],
    ["10.1.2.3", "10.1.2.3", "10.1.2.4"],
    ["10.0.0.0/8, fd00::/8", "fd12::1", "fc12::1"],
    ["127.0.0.1/32", "::ffff:127.0.0.1", "::127.0.0.1"],
    ["64:ff9b::/96", "64:ff9b::7f00:1", "64:ff9b:1::1"],
    ["::/64", "::1:0:0:1", "::1"],
    ["::/96", "::7f00:1", "::1"],
    ["0.0.0.0/0", "8.8.8.8", "10.0.0.1"],
    ["2606:4700::5efe:0:0/96", "2606:4700::5efe:a00:1", "2606:4700::200:5efe:a00:1"],
    ["::/0", "2606:4700::1111", "fc00::1"],
    ["240.0.0.0/4", "240.0.0.1", "224.0.0.1"],
  ])("WEBHOOK_ALLOW=%s extends the public addresses, includes %s and excludes %s", (text, allowed, denied) => {
    const { isAllowed } = publicAddresses(text);
    expect([isAllowed(allowed), isAllowed(denied)]).toEqual([true, false]);
  });

  test.each(["10.0.0.0/33", "localhost", "10.0.0.1;10.0.0.2", "127.0.0.1:80"])(
    "public addresses can't be extended by the invalid range %s",
    (text) => {
      expect(() => publicAddresses(text)).toThrow(`WEBHOOK_ALLOW is ${text}: it lists addresses and ranges`);
    },
  );
});

test("every address is either private or public, and reserved and invalid addresses aren't public", () => {
  const { isAllowed } = anyAddress;
  expect(["127.0.0.1", "::1", "10.0.0.1", "fc00::1", "169.254.0.1", "8.8.8.8", "0.0.0.0"].every(isAllowed)).toBe(true);
  expect([...forbidden.multicast, ...forbidden["text that isn't an address"], "240.0.0.1"].filter(isAllowed)).toEqual(
    [],
  );
});

const spellings = (port: number): readonly string[] =>
  [
    ...[
      "localhost",
      "localhost.",
      "localhost..",
      "localhost.localdomain",
      "127.0.0.1",
      "127.1",
      "0x7f000001",
      "2130706433",
    ],
    ...[
      "0177.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "127.0.0.1.",
      "①②⑦.0.0.1",
      "0",
      "0.0.0.0",
      "[::]",
    ],
    ...[
      "[::127.0.0.1]",
      "[64:ff9b::7f00:1]",
      "[2002:7f00:1::]",
      "[fe80::1]",
      "user:pw@127.0.0.1",
      "0x7f.1",
      "017700000001",
    ],
    ...[
      "127。0。0。1",
      "%31%32%37.0.0.1",
      "[0:0:0:0:0:0:0:1]",
      "[::ffff:0:127.0.0.1]",
      "169.254.169.254",
      "metadata",
      "xn--",
    ],
  ].flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`]);

const unreadable = [
  ...["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://x/", "//x.example/", "https://unix:./x", "unix:/tmp/socket"],
  ...["https://x.example:99999/", "https://\u0000x.example/", "https://[fe80::1%25lo]/", "", "data:,x"],
];

describe("the network client for public addresses", () => {
  const machine = [...forbidden.loopback, ...forbidden["this machine"], "10.0.0.1"];

  test("the network client for public addresses doesn't connect to a private address in any spelling", {
    tags: ["finding"],
  }, async () => {
    const { lookup } = names({
      localhost: machine,
      "localhost.": machine,
      "localhost.localdomain": machine,
      metadata: ["169.254.169.254"],
    });
    const network = networkOf(publicAddresses(""), { lookup });
    const before = connections;
    for (const url of spellings(canary)) {
      expect
        .soft([url, await refusal(network, url)])
        .toEqual([url, expect.stringMatching(/^Error: (the address|there is no such host)/)]);
    }
    expect(connections).toBe(before);
  });

  test("the network client for public addresses doesn't resolve a URL that isn't http", {
    tags: ["finding"],
  }, async () => {
    const { lookup, asked } = names({});
    const network = networkOf(loopback, { lookup });
    for (const url of unreadable) {
      expect.soft([url, await refusal(network, url)]).toEqual([url, expect.stringContaining("no http or https URL")]);
    }
    expect(asked).toEqual([]);
  });

  test.each(Object.entries(forbidden))(
    "the network client for public addresses doesn't connect to a name that resolves to %s",
    { tags: ["finding"] },
    async (_kind, addresses) => {
      const before = connections;
      for (const address of addresses) {
        const network = networkOf(publicAddresses(""), names({ "shop.example": [address] }));
        for (const scheme of ["http", "https"]) {
          expect.soft(await refusal(network, `${scheme}://shop.example:${canary}/`)).toBe(noneAllowed);
        }
      }
      expect(connections).toBe(before);
    },
  );

  test("the network client for public addresses connects only to the allowed addresses of a name", async () => {
    const port = await serve((_, reply) => reply.end("inside"));
    const rule = publicAddresses("127.0.0.3/32");
    const mixed = names({ "shop.example": ["127.0.0.1", "::1", "127.0.0.3", "0.0.0.0"] });
    const peers: (string | undefined)[] = [];
    const inner = createServer((request, reply) => {
      peers.push(request.socket.localAddress);
      reply.end();
    });
    const anywhere = await listen(inner, "0.0.0.0");
    expect(await refusal(networkOf(rule, mixed), `http://shop.example:${anywhere}/`)).toBe("answered with 200");
    expect(peers).toEqual(["127.0.0.3"]);
    // The connection to the allowed address is refused, and no other address is tried.
    expect(await refusal(networkOf(rule, mixed), `http://shop.example:${port}/`)).toContain(
      "could not connect: the connection was refused",
    );
  });

  test("the network client for public addresses resolves a name once, and connects to the address that was checked", {
    tags: ["finding"],
  }, async () => {
    const port = await serve((_, reply) => reply.end());
    let times = 0;
    const lookup = async () => {
      times += 1;
      return [{ address: times === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    const network = networkOf(publicAddresses("127.0.0.1/32"), { lookup });
    expect(await refusal(network, `http://shop.example:${port}/`)).toBe("answered with 200");
    expect(times).toBe(1);
    expect(await refusal(network, `http://shop.example:${port}/`)).toBe(noneAllowed);
    expect(times).toBe(2);
  });

  test.each(["http", "https"])(
    "the network client for public addresses sends no bytes by %s if the operating system connects to an address that isn't allowed",
    async (scheme) => {
      // Connecting to 0.0.0.0 reaches 127.0.0.1.
      const rule: AddressRule = { isAllowed: (address) => address === "0.0.0.0" };
      const before = { connections, bytes };
      expect(await refusal(networkOf(rule), `${scheme}://0.0.0.0:${canary}/`)).toBe(notAllowed);
      await expect.poll(() => connections > before.connections && closed === connections).toBe(true);
      expect(bytes).toBe(before.bytes);
    },
  );

  test("the network client for public addresses doesn't follow redirects", { tags: ["finding"] }, async () => {
    const before = connections;
    const port = await serve(
      (_, reply) => void reply.writeHead(302, { location: `http://127.0.0.1:${canary}/` }).end("gone"),
    );
    const answer = await open.fetch(`http://127.0.0.1:${port}/`, networkCall());
    expect([answer.status, answer.ok, answer.headers.get("location")]).toEqual([
      302,
      false,
      `http://127.0.0.1:${canary}/`,
    ]);
    expect(await answer.text()).toBe("gone");
    expect(connections).toBe(before);
  });

  test("the network client for public addresses ignores the proxy in the environment", async () => {
    const port = await serve((_, reply) => reply.end("direct"));
    const restore = setGlobalProxyFromEnv({ http_proxy: `http://127.0.0.1:${canary}`, no_proxy: "" });
    const before = connections;
    expect(await (await open.fetch(`http://127.0.0.1:${port}/`, networkCall())).text()).toBe("direct");
    expect(connections).toBe(before);
    restore();
  });
});
