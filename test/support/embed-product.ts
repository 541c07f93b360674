import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { Json } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { bundled } from "./bundled.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

// `openEmbedProduct` serves an integrator's product. Its page frames the service's referral page of another origin.

interface Minted {
  readonly data: { readonly token: string };
}

export interface Message {
  readonly origin: string;
  readonly data: { readonly type?: string; readonly height?: number };
}

export interface EmbedProduct {
  readonly world: World;
  readonly embedId: string;
  /** The product's origin, which the program's settings allow. */
  readonly origin: string;
  /** An origin of the same server that the settings don't allow. */
  readonly otherOrigin: string;
  /** HTML pages by path. */
  readonly pages: Map<string, string>;
  readonly pageHeaders: Record<string, string>;
  /** The number of tokens that the product's page requested from its server. */
  readonly asked: () => number;
  /** If set, replaces the server's response to further requests for a token. */
  answer: (() => Promise<{ readonly status: number; readonly body: Json }>) | undefined;
  createToken(body?: Json): Promise<string>;
  put(body: Json): Promise<void>;
}

export interface ProductOptions {
  readonly owner: User;
  readonly settings?: Json;
  readonly world?: WorldSettings;
  /** The service's address for the browser. */
  readonly service?: string;
}

const recording = `
  window.messages = [];
  addEventListener("message", ({ origin, data }) => messages.push({ origin, data }));`;

const sdk = bundled(`
  import { mountReferrals } from "tributary-sdk/embed";
  window.mountReferrals = mountReferrals;`);

/** The product's page, which uses the SDK. */
const mounting = (embedId: string, service: string): string => `
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
    service: ${JSON.stringify(service)}, fetchToken, embedId: ${JSON.stringify(embedId)}
  });
</script></html>`;

/** A page that contains only the frame, without the SDK. Tests themselves send messages to the frame. */
const framing = (embedId: string, service: string): string => `
<!doctype html><html lang="en"><title>Product</title><script>${recording}</script>
<iframe title="Referral program" width="600" height="600" src="${service}/embed/${embedId}"></iframe></html>`;

export async function openEmbedProduct(options: ProductOptions): Promise<EmbedProduct> {
  const { owner, settings = {}, world: worldSettings, service = sharedService.url } = options;
  const world = await createWorld(sharedService.databaseUrl, {
    partners: [{}, {}],
    ...worldSettings,
    members: [{ user: owner, role: "owner" }],
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
      const { status, body } = await (product.answer ?? ordinary)();
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      return void response.end(JSON.stringify(body));
    }
    const page = product.pages.get(pathname);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html", ...product.pageHeaders });
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

  const product: EmbedProduct = {
    ...{ world, embedId, origin, put, createToken },
    otherOrigin: `http://other.localhost:${port}`,
    pages: new Map([
      ["/", mounting(embedId, service)],
      ["/frame", framing(embedId, service)],
    ]),
    pageHeaders: {},
    asked: () => asked,
    answer: undefined,
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return product;
}
