import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { type JsonObject, uniqueIp } from "../../harness/client.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { root } from "../../scripts/root.ts";
import { sharedService } from "./shared-service.ts";

// Serves a merchant's site and the API on different origins. The API records every call.

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

export interface MerchantSite {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly calls: readonly SeenCall[];
  readonly lines: () => readonly string[];
  readonly said: readonly string[];
  readonly thrown: readonly string[];
  fault: Fault | undefined;
  /** The HTML by path. The default is a page with the tracking script's tag. */
  readonly pages: Map<string, string>;
  readonly pageHeaders: Record<string, string>;
  readonly api: string;
  tag(attributes?: string): string;
  at(path: string, host?: string): string;
  landing(code?: string, path?: string, host?: string): string;
  /** Opens the page, and waits until the tracking script has handled it. */
  visit(address: string, page?: Page): Promise<void>;
  run<T = unknown>(expression: string, page?: Page): Promise<T>;
  cookie(name: string): Promise<Awaited<ReturnType<BrowserContext["cookies"]>>[number] | undefined>;
}

const shop = "www.shop.localhost";

export async function openMerchantSite(
  newContext: () => Promise<BrowserContext>,
  { worldSettings, isQuiet = true }: { worldSettings?: WorldSettings; isQuiet?: boolean } = {},
): Promise<MerchantSite> {
  const world = await createWorld(sharedService.databaseUrl, { partners: [{}, {}], ...worldSettings });
  const context = await newContext();
  const calls: SeenCall[] = [];
  const said: string[] = [];
  const thrown: string[] = [];
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
      const { fault } = customer;
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
    response.writeHead(200, { "content-type": type, ...customer.pageHeaders });
    response.end(customer.pages.get(pathname) ?? pageOf(customer.tag()));
  }

  const page = await context.newPage();
  const watch = (tab: Page) => {
    tab.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    tab.on("pageerror", (error) => thrown.push(String(error)));
  };
  watch(page);
  context.on("page", watch);
  const customer: MerchantSite = {
    world,
    context,
    page,
    calls,
    lines: () => calls.map(({ line }) => line),
    said,
    thrown,
    fault: undefined,
    pages: new Map(),
    pageHeaders: {},
    api,
    tag: (attributes = "") =>
      `<script async src="${api}/js/svc-tracker.js" data-svc-program-id="${world.programId}" ${attributes}></script>`,
    at: (path, host = shop) => `http://${host}:${port}${path}`,
    landing: (code = world.partner.code, path = "/", host = shop) => `http://${host}:${port}${path}?aff=${code}`,
    visit: async (address, tab = page) => {
      await tab.goto(address);
      await tab.evaluate("svc.ready");
    },
    run: <T>(expression: string, tab: Page = page) => tab.evaluate<T>(expression),
    cookie: async (name) => (await context.cookies()).find((cookie) => cookie.name === name),
  };

  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await keepFailed(task.name);
    await context.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    if (isQuiet) expect(thrown, "the page threw").toEqual([]);
  });

  async function keepFailed(name: string): Promise<void> {
    const folder = join(root, "test/browser/failed");
    const file = join(folder, name.replaceAll(/\W+/g, "-"));
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.json`, JSON.stringify({ calls, said, thrown }, null, 2));
    await page.screenshot({ path: `${file}.png`, timeout: 2_000 }).catch(() => undefined);
  }
  return customer;
}

export const pageOf = (head: string, body = ""): string => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Shop</title>${head}</head>
  <body><h1>Shop</h1><a id="next" href="/next">Next</a>${body}</body>
</html>`;
