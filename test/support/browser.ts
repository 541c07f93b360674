import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";

export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  // Renders in the browser's main process, because the tests need no separate GPU process.
  "--in-process-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Prevents each profile from starting a spare renderer process in advance.
  "--renderer-process-limit=1",
];

/** The default user agent of a headless browser would count as a bot. */
const userAgent = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

const processWide = globalThis as { browserOfTests?: Promise<Browser> };

/** Returns the browser that all test files of this process share. It ends with the process. */
const browserOfProcess = (executablePath: string): Promise<Browser> => {
  processWide.browserOfTests ??= chromium.launch({
    executablePath,
    headless: true,
    args: flags,
    // Keeps the back/forward cache, which Playwright disables but visitors' browsers have.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  return processWide.browserOfTests;
};

/** Prints what the pages of the newest profile show. */
async function printPages(context: BrowserContext | undefined): Promise<void> {
  for (const page of context?.pages() ?? []) {
    const text = await page.locator("body").innerText({ timeout: 2_000 }).catch(String);
    console.error(`${page.url()} shows:\n${text.slice(0, 5_000)}`);
  }
}

/**
 * Call it at the top of a test file. If a test fails, the text of the newest profile's pages is printed. The returned
 * function creates a new browser profile, which is closed at the latest at the end of the file.
 */
export function isolatedBrowser(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
  const contexts = new Set<BrowserContext>();
  beforeAll(() => browserOfProcess(inject("chromium")));
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await printPages([...contexts].at(-1));
  });
  afterAll(() => Promise.all([...contexts].map((context) => context.close())));
  return async (options) => {
    const browser = await browserOfProcess(inject("chromium"));
    const context = await browser.newContext({ userAgent, ...options });
    contexts.add(context);
    return context;
  };
}
