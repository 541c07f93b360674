import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The default of a headless browser would count as a bot. */
const userAgent = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** Launches a browser for the test file. Call it at the top; the returned function creates a fresh profile. */
export function isolatedBrowser(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: inject("chromium"),
      headless: true,
      args: flags,
      // Playwright disables the back/forward cache, which visitors have.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    });
  });
  afterAll(() => browser?.close());
  return (options) => browser.newContext({ userAgent, ...options });
}
