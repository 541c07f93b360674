import type { BrowserContext, BrowserContextOptions, Frame, FrameLocator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { uniqueIp } from "../../harness/client.ts";
import { type EmbedProduct, type Message, openEmbedProduct, type ProductOptions } from "./embed-product.ts";

// `openEmbedHost` opens an integrator's product in a browser. Its page frames the service's referral page.

export interface EmbedHost extends EmbedProduct {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The referral page in the frame. */
  readonly frame: FrameLocator;
  readonly inner: () => Frame;
  /** The messages that the product's page received, with their origins. */
  messages(): Promise<readonly Message[]>;
  open(path?: string, origin?: string): Promise<void>;
}

export interface HostOptions extends Omit<ProductOptions, "service"> {
  readonly browser?: BrowserContextOptions;
  /** Errors that the page is expected to log. */
  readonly expected?: RegExp;
}

export async function openEmbedHost(
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>,
  { browser, expected = /^$/, ...options }: HostOptions,
): Promise<EmbedHost> {
  const product = await openEmbedProduct(options);
  const context = await newContext({
    viewport: { width: 640, height: 800 },
    locale: "en-GB",
    timezoneId: "Europe/Amsterdam",
    reducedMotion: "reduce",
    extraHTTPHeaders: { "cf-connecting-ip": uniqueIp() },
    ...browser,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !text.startsWith("Failed to load resource") && !expected.test(text)) {
      faults.push(text);
    }
  });
  onTestFinished(async () => {
    await context.close();
    expect(faults, "the page threw, or logged an error").toEqual([]);
  });
  return Object.assign(product, {
    ...{ context, page },
    frame: page.frameLocator("iframe"),
    inner: () => page.frames()[1] ?? page.mainFrame(),
    messages: () => page.evaluate<Message[]>("messages"),
    open: async (path = "/", from = product.origin) => void (await page.goto(from + path)),
  });
}
