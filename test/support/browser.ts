import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  // Without one, a process of its own draws as this one does.
  "--in-process-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A profile otherwise starts a process ahead for a page that it may never open.
  "--renderer-process-limit=1",
];

/** The default of a headless browser would count as a bot. */
const userAgent = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

const processWide = globalThis as { browserOfTests?: Promise<Browser> };

/** One for all files that a process runs. It ends with the process. */
const browserOfProcess = (executablePath: string): Promise<Browser> => {
  processWide.browserOfTests ??= chromium.launch({
    executablePath,
    headless: true,
    args: flags,
    // Playwright disables the back/forward cache, which visitors have.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  return processWide.browserOfTests;
};

/** Call it at the top of a test file. The returned function creates a fresh profile, which ends with the file at the latest. */
export function isolatedBrowser(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
  const contexts = new Set<BrowserContext>();
  beforeAll(() => browserOfProcess(inject("chromium")));
  afterAll(() => Promise.all([...contexts].map((context) => context.close())));
  return async (options) => {
    const browser = await browserOfProcess(inject("chromium"));
    const context = await browser.newContext({ userAgent, ...options });
    contexts.add(context);
    return context;
  };
}
