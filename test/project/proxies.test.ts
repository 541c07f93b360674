import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../../scripts/service/ports.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { whyNot } from "../support/interpreters.ts";
import { withinMinute } from "../support/within-minute.ts";
import { type Served, serve, stop } from "./started.ts";

// Runs proxies with the configuration in the guides in front of `npm run serve`, on other ports than 80 and 443.

const host = "tributary.example";

const linesOf = (path: string, kind: string): string =>
  blocksOf(readDocument(path)).find(({ language }) => language === kind)?.text ?? "";

/** A port that is free for TCP and UDP, because Caddy uses the same number on UDP for HTTP/3. */
const freePortOfBothKinds = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await promisify(server.close.bind(server))();
  return port;
};

interface Ports {
  readonly https: number;
  readonly http: number;
  readonly service: number;
}

interface Proxy {
  readonly whyNot: string | undefined;
  /** Writes the proxy's configuration to the folder, and returns its command. */
  configure(folder: string, ports: Ports): Promise<readonly [string, ...string[]]>;
  /** True if the proxy passes on no plain http. */
  readonly redirectsAll: boolean;
  /** Returns the result of the proxy's last health check, or undefined if it has none. */
  healthOf?(folder: string): Promise<string | undefined>;
}

function certify(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${host}`, ...files], {
    stdio: "ignore",
  });
  return { key, certificate };
}

const nginx: Proxy = {
  whyNot: whyNot("nginx", "-v") ?? whyNot("openssl", "version"),
  redirectsAll: false,
  async configure(folder, ports) {
    const { key, certificate } = certify(folder);
    const location = `location / { proxy_pass http://127.0.0.1:${ports.service}; ${linesOf("docs/self-hosting.md", "nginx")} }`;
    const server = (listen: string) => `server { listen 127.0.0.1:${listen}; ${location} }`;
    const certified = `ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
    const http = `http { access_log off; ${certified} ${server(`${ports.https} ssl`)} ${server(`${ports.http}`)} }`;
    await writeFile(join(folder, "nginx.conf"), `daemon off; pid ${join(folder, "pid")}; events {} ${http}`);
    return ["nginx", "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  },
};

const caddy: Proxy = {
  whyNot: whyNot("caddy", "version"),
  redirectsAll: true,
  async configure(folder, ports) {
    const own = `{\nadmin off\nlocal_certs\nskip_install_trust\nhttp_port ${ports.http}\nhttps_port ${ports.https}\n`;
    const lines = linesOf("docs/self-hosting.md", "caddy").replace("127.0.0.1:8787", `127.0.0.1:${ports.service}`);
    await writeFile(join(folder, "Caddyfile"), lines.replace("{\n", own));
    return ["caddy", "run", "--config", join(folder, "Caddyfile")];
  },
};

const statsSocket = (folder: string) => join(folder, "haproxy.sock");

const haproxy: Proxy = {
  whyNot: whyNot("haproxy", "-v") ?? whyNot("openssl", "version"),
  redirectsAll: false,
  async configure(folder, ports) {
    const { key, certificate } = certify(folder);
    const pem = join(folder, "haproxy.pem");
    await writeFile(pem, `${await readFile(certificate, "utf8")}${await readFile(key, "utf8")}`);
    const lines = linesOf("docs/self-hosting.md", "haproxy")
      .replace("bind :80\n", `bind 127.0.0.1:${ports.http}\n`)
      .replace("bind :443", `bind 127.0.0.1:${ports.https}`)
      .replace("/etc/haproxy/tributary.pem", pem)
      .replace("127.0.0.1:8787", `127.0.0.1:${ports.service}`);
    await writeFile(join(folder, "haproxy.cfg"), `global\n\tstats socket ${statsSocket(folder)}\n\n${lines}`);
    return ["haproxy", "-db", "-f", join(folder, "haproxy.cfg")];
  },
  async healthOf(folder) {
    const socket = connect(statsSocket(folder)).end("show stat\n");
    const stats = await text(socket);
    const [names = "", ...lines] = stats.split("\n");
    const at = names.split(",").indexOf("check_status");
    return lines.find((line) => line.startsWith("tributary,tributary,"))?.split(",")[at];
  },
};

interface Sent {
  readonly port: number;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller's address. It differs from 127.0.0.1, which is the proxy's own. */
  readonly from?: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly location: string | undefined;
}

function send(request: typeof plain, { port, path, body, headers, from = "127.0.0.9" }: Sent): Promise<Answer> {
  const options = { host: "127.0.0.1", port, path, servername: host, localAddress: from, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...options,
      method: body === undefined ? "GET" : "POST",
      headers: { host: `${host}:${port}`, "content-type": "application/json", ...headers },
    });
    outgoing.once("error", reject).once("response", (answer) => {
      const { statusCode: status } = answer;
      answer.resume().once("end", () => resolve({ status, location: answer.headers.location }));
    });
    outgoing.end(body && JSON.stringify(body));
  });
}

const click = { affiliate_url: "https://shop.example/?aff=none", program_id: 1 };
const account = { name: "Owner", email: "owner@people.example", password: "a long one, of a test alone" };

// Other systems than Linux have only one loopback address.
const whySkip = (proxy: Proxy) => (process.platform === "linux" ? proxy.whyNot : "Linux only");

describe.each(Object.entries({ nginx, caddy, haproxy }))("the proxy %s", (_, proxy) => {
  describe.skipIf(whySkip(proxy))("with the configuration in the guide", () => {
    let folder: string;
    let ports: Ports;
    let service: Served;
    let running: ChildProcess;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "tributary-proxy-"));
      ports = { https: await freePortOfBothKinds(), http: await freePort(), service: await freePort() };
      const [command, ...args] = await proxy.configure(folder, ports);
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      running = spawn(command, args, { env, stdio: "ignore" });
      service = await serve({
        data: join(folder, "data"),
        port: ports.service,
        // Without --base-url, a sign-in must come from the host that the proxy passes on.
        args: ["--trusted-proxy", "127.0.0.1"],
        env: { SIGN_UP: "open" },
      });
      const answer = () => send(secure, { port: ports.https, path: "/readyz" }).catch(() => undefined);
      await vi.waitUntil(async () => (await answer())?.status === 200, { timeout: 20_000 });
    });
    afterAll(async () => {
      await stop(running);
      await stop(service.child);
      await rm(folder, { recursive: true });
    });

    const { healthOf } = proxy;
    if (healthOf !== undefined) {
      test("a proxy with the guide's configuration considers the service healthy", { tags: ["finding"] }, async () => {
        await vi.waitUntil(async () => /^L7/.test((await healthOf(folder)) ?? ""), { timeout: 20_000 });
        expect(await healthOf(folder)).toBe("L7OK");
      });
    }

    test("a proxy with the guide's configuration lets people sign up and sign in", async () => {
      const headers = { origin: `https://${host}:${ports.https}` };
      for (const step of ["sign-up", "sign-in"]) {
        const sent = { port: ports.https, path: `/api/auth/${step}/email`, body: account, headers };
        expect(await send(secure, sent), step).toMatchObject({ status: 200 });
      }
    });

    test("a proxy with the guide's configuration redirects or refuses plain http", async () => {
      const page = await send(plain, { port: ports.http, path: "/docs?x=1" });
      expect(page).toEqual({ status: 308, location: `https://${host}/docs?x=1` });
      const call = await send(plain, { port: ports.http, path: "/api/v1/track/click", body: click });
      expect(call.status).toBe(proxy.redirectsAll ? 308 : 403);
    });

    test("a proxy with the guide's configuration makes all calls of a caller count as one caller's, even if the caller forges headers", async () => {
      const statuses = await withinMinute(async () => {
        const all: (number | undefined)[] = [];
        for (let n = 0; n < 320; n += 20) {
          const answers = Array.from({ length: 20 }, (_, i) => {
            const claim = `198.51.100.${(n + i) % 256}`;
            const headers = { "x-forwarded-for": claim, "cf-connecting-ip": claim, "x-real-ip": claim };
            return send(secure, { port: ports.https, path: "/api/v1/track/click", body: click, headers });
          });
          all.push(...(await Promise.all(answers)).map(({ status }) => status));
        }
        return all;
      });
      expect(statuses.slice(0, 300).every((status) => status === 400)).toBe(true);
      expect(statuses).toContain(429);
      const other = { port: ports.https, path: "/api/v1/track/click", body: click, from: "127.0.0.10" };
      expect((await send(secure, other)).status).toBe(400);
    });
  });
});
