import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** One that is named or installed, else the one that npm has brought. None is ever downloaded. */
async function executable(): Promise<string> {
  const found = process.env.CHROMIUM_PATH || installed.find((path) => existsSync(path));
  if (found) return found;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What a person's browser says of itself: a headless one would be counted as a bot. */
const userAgent = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** Starts a browser before the file's tests and ends it after them; gives what makes a visitor's profile in it. */
export function ownBrowser(): () => Promise<BrowserContext> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: await executable(), headless: true, args: flags });
  });
  afterAll(() => browser?.close());
  return () => browser.newContext({ userAgent });
}
