import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type JsonObject, uniqueIp } from "../../harness/client.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { sharedService } from "./shared-service.ts";

// `openMerchantServer` serves a merchant's site and the API on different origins, and records every call of the API.

export interface SeenCall {
  readonly line: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
}

/** A response that replaces the service's. "cut" closes the connection without a response. */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly type?: string; readonly afterMs?: number }
  | "cut";

export interface MerchantServer {
  readonly world: World;
  readonly calls: readonly SeenCall[];
  readonly lines: () => readonly string[];
  fault: Fault | undefined;
  /** The HTML by path. The default is a page with the tracking script's tag. */
  readonly pages: Map<string, string>;
  readonly pageHeaders: Record<string, string>;
  readonly api: string;
  tag(attributes?: string): string;
  at(path: string, host?: string): string;
  landing(code?: string, path?: string, host?: string): string;
}

const shop = "www.shop.localhost";

export async function openMerchantServer(worldSettings: WorldSettings = {}): Promise<MerchantServer> {
  const world = await createWorld(sharedService.databaseUrl, { partners: [{}, {}], ...worldSettings });
  const calls: SeenCall[] = [];
  const visitorsAddress = uniqueIp();

  const server = createServer(async (request, response) => {
    try {
      if (request.headers.host?.startsWith("api.")) await answerAsApi(request, response);
      else answerAsCustomer(request, response);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const api = `http://api.localhost:${port}`;

  async function answerAsApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { url = "/", method = "GET", headers } = request;
    const isCall = url.includes("/api/");
    if (isCall) {
      const line = `${method} ${url.replace(/^.*\/track\//, "")}`;
      calls.push({
        line,
        path: url,
        headers,
        body: body.length > 0 ? (JSON.parse(body.toString()) as JsonObject) : {},
      });
      const { fault } = merchant;
      if (fault === "cut") return void request.socket.destroy();
      if (fault !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, fault.afterMs ?? 0));
        const type = fault.type ?? "application/json";
        response.writeHead(fault.status, { "content-type": type, "access-control-allow-origin": "*" });
        return void response.end(fault.body ?? "{}");
      }
    }
    const passed = new Headers({ "cf-connecting-ip": visitorsAddress });
    for (const name of ["content-type", "user-agent", "origin", "sec-fetch-site", "sec-purpose", "if-none-match"]) {
      const value = headers[name];
      if (typeof value === "string") passed.set(name, value);
    }
    const path = url.replace(/^\/under\/own\/name/, "");
    const answer = await fetch(sharedService.url + path.replace("/js/own.js", "/js/svc-tracker.js"), {
      method,
      headers: passed,
      ...(body.length > 0 ? { body } : {}),
    });
    const answered = Object.fromEntries(
      [...answer.headers].filter(([name]) => !/^(content-(length|encoding)|transfer-encoding|connection)$/.test(name)),
    );
    response.writeHead(answer.status, answered);
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  function answerAsCustomer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(url, "http://shop");
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    const type = pathname.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8";
    response.writeHead(200, { "content-type": type, ...merchant.pageHeaders });
    response.end(merchant.pages.get(pathname) ?? pageOf(merchant.tag()));
  }

  const merchant: MerchantServer = {
    ...{ world, calls, api },
    lines: () => calls.map(({ line }) => line),
    fault: undefined,
    pages: new Map(),
    pageHeaders: {},
    tag: (attributes = "") =>
      `<script async src="${api}/js/svc-tracker.js" data-svc-program-id="${world.programId}" ${attributes}></script>`,
    at: (path, host = shop) => `http://${host}:${port}${path}`,
    landing: (code = world.partner.code, path = "/", host = shop) => `http://${host}:${port}${path}?aff=${code}`,
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return merchant;
}

export const pageOf = (head: string, body = ""): string => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Shop</title>${head}</head>
  <body><h1>Shop</h1><a id="next" href="/next">Next</a>${body}</body>
</html>`;
