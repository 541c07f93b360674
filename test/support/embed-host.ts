import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, BrowserContextOptions, Frame, FrameLocator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { type Json, uniqueIp } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { bundled } from "./bundled.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

// Serves an integrator's product. Its page frames the service's referral page, which has another origin.

interface Minted {
  readonly data: { readonly token: string };
}

export interface EmbedHost {
  readonly world: World;
  readonly embedId: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The product's origin, which the program's settings allow. */
  readonly origin: string;
  /** An origin of the same server that the settings don't allow. */
  readonly otherOrigin: string;
  /** HTML pages by path. */
  readonly pages: Map<string, string>;
  readonly pageHeaders: Record<string, string>;
  /** The referral page in the frame. */
  readonly frame: FrameLocator;
  readonly inner: () => Frame;
  /** The messages that the product's page received, with their origins. */
  messages(): Promise<readonly Message[]>;
  /** The number of tokens that the product's page requested from its server. */
  readonly asked: () => number;
  /** If set, replaces the server's response to further requests for a token. */
  answer: (() => Promise<{ readonly status: number; readonly body: Json }>) | undefined;
  createToken(body?: Json): Promise<string>;
  put(body: Json): Promise<void>;
  open(path?: string, origin?: string): Promise<void>;
}

export interface Message {
  readonly origin: string;
  readonly data: { readonly type?: string; readonly height?: number };
}

export interface HostOptions {
  readonly owner: User;
  readonly settings?: Json;
  readonly world?: WorldSettings;
  readonly browser?: BrowserContextOptions;
  /** Errors that the page is expected to log. */
  readonly expected?: RegExp;
}

const recording = `
  window.messages = [];
  addEventListener("message", ({ origin, data }) => messages.push({ origin, data }));`;

const sdk = bundled(`
  import { mountReferrals } from "tributary-sdk/embed";
  window.mountReferrals = mountReferrals;`);

/** The product's page, which uses the SDK. */
export const mounting = (embedId: string, options = ""): string => `
<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Product</title>
<style>body { margin: 8px; font-family: system-ui }</style><h1>Invite your friends</h1><div id="referrals"></div>
<script>${recording}</script><script src="/sdk.js"></script>
<script>
  window.fetchToken = async () => {
    const response = await fetch("/referral-token", { method: "POST" });
    if (!response.ok) throw new Error("no token: " + response.status);
    return response.json();
  };
  window.unmount = mountReferrals(document.querySelector("#referrals"), {
    service: ${JSON.stringify(sharedService.url)}, embedId: ${JSON.stringify(embedId)}, fetchToken, ${options}
  });
</script></html>`;

/** A page that only contains the frame. Tests send its messages. */
export const framing = (embedId: string): string => `
<!doctype html><html lang="en"><title>Product</title><script>${recording}</script>
<iframe title="Referral program" width="600" height="600" src="${sharedService.url}/embed/${embedId}"></iframe></html>`;

export async function openEmbedHost(
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>,
  { owner, settings = {}, world: worldSettings, browser, expected = /^$/ }: HostOptions,
): Promise<EmbedHost> {
  const world = await createWorld(sharedService.databaseUrl, {
    partners: [{}, {}],
    ...worldSettings,
    members: [{ user: owner, role: "owner" }],
  });
  const context = await newContext({
    viewport: { width: 640, height: 800 },
    locale: "en-GB",
    timezoneId: "Europe/Amsterdam",
    reducedMotion: "reduce",
    extraHTTPHeaders: { "cf-connecting-ip": uniqueIp() },
    ...browser,
  });
  let asked = 0;
  const createToken = async (body: Json = { external_id: "user-7", name: "Anna" }): Promise<string> => {
    const { key } = world;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const path = "/api/v1/programs/me/embed/tokens";
    const { status, text, body: reply } = await sharedApi().request<Minted>("POST", path, { headers, body });
    expect(status, text).toBe(201);
    return reply.data.token;
  };

  async function respond({ url = "/", method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(url, "http://product");
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    if (pathname === "/sdk.js") {
      return void response.writeHead(200, { "content-type": "text/javascript" }).end(await sdk);
    }
    if (pathname === "/referral-token" && method === "POST") {
      asked += 1;
      const ordinary = async () => ({ status: 200, body: { token: await createToken(), expiresIn: 3_600 } });
      const { status, body } = await (host.answer ?? ordinary)();
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      return void response.end(JSON.stringify(body));
    }
    const page = host.pages.get(pathname);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html", ...host.pageHeaders });
    response.end(page);
  }
  const server = createServer((request, response) => void respond(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;

  const put = async (body: Json): Promise<void> => {
    const { status, text } = await owner.put(`/api/programs/${world.programId}/embed`, body);
    expect(status, text).toBe(200);
  };
  await put({ origins: [origin], ...Object(settings) });
  const { body: read } = await owner.get<{ data: { embedId: string } }>(`/api/programs/${world.programId}/embed`);
  const { embedId } = read.data;

  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !text.startsWith("Failed to load resource") && !expected.test(text)) {
      faults.push(text);
    }
  });
  const host: EmbedHost = {
    ...{ world, embedId, context, page, origin, put, createToken },
    otherOrigin: `http://other.localhost:${port}`,
    pages: new Map([
      ["/", mounting(embedId)],
      ["/frame", framing(embedId)],
    ]),
    pageHeaders: {},
    frame: page.frameLocator("iframe"),
    inner: () => page.frames()[1] ?? page.mainFrame(),
    messages: () => page.evaluate<Message[]>("messages"),
    asked: () => asked,
    answer: undefined,
    open: async (path = "/", from = origin) => void (await page.goto(from + path)),
  };
  onTestFinished(async () => {
    await context.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(faults, "the page threw, or logged an error").toEqual([]);
  });
  return host;
}
