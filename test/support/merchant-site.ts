import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { root } from "../../scripts/root.ts";
import { type MerchantServer, openMerchantServer } from "./merchant-server.ts";

// `openMerchantSite` opens a merchant's site in a browser.

export type { Fault } from "./merchant-server.ts";
export { pageOf } from "./merchant-server.ts";

export interface MerchantSite extends MerchantServer {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly said: readonly string[];
  readonly thrown: readonly string[];
  /** Opens the page, and waits until the tracking script has handled it. */
  visit(address: string, page?: Page): Promise<void>;
  run<T = unknown>(expression: string, page?: Page): Promise<T>;
  /** Waits until the API has received everything that the page has sent. */
  arrived(): Promise<void>;
  cookie(name: string): Promise<Awaited<ReturnType<BrowserContext["cookies"]>>[number] | undefined>;
}

export async function openMerchantSite(
  newContext: () => Promise<BrowserContext>,
  { worldSettings, isQuiet = true }: { worldSettings?: WorldSettings; isQuiet?: boolean } = {},
): Promise<MerchantSite> {
  const server = await openMerchantServer(worldSettings);
  const context = await newContext();
  const said: string[] = [];
  const thrown: string[] = [];

  const page = await context.newPage();
  const watch = (tab: Page) => {
    tab.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    tab.on("pageerror", (error) => thrown.push(String(error)));
  };
  watch(page);
  context.on("page", watch);

  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await keepFailed(task.name);
    await context.close();
    if (isQuiet) expect(thrown, "the page threw").toEqual([]);
  });

  async function keepFailed(name: string): Promise<void> {
    const folder = join(root, "test/browser/failed");
    const file = join(folder, name.replaceAll(/\W+/g, "-"));
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.json`, JSON.stringify({ calls: server.calls, said, thrown }, null, 2));
    await page.screenshot({ path: `${file}.png`, timeout: 2_000 }).catch(() => undefined);
  }
  return Object.assign(server, {
    ...{ context, page, said, thrown },
    visit: async (address: string, tab = page) => {
      await tab.goto(address);
      await tab.evaluate("svc.ready");
    },
    run: <T>(expression: string, tab: Page = page) => tab.evaluate<T>(expression),
    // This request is sent after the page's own requests, and isn't recorded as a call.
    arrived: () =>
      page.evaluate<void>(
        `fetch("${server.api}/js/svc-tracker.js", { mode: "no-cors", cache: "no-store" }).then(() => {})`,
      ),
    cookie: async (name: string) => (await context.cookies()).find((cookie) => cookie.name === name),
  });
}
