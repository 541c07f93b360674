import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BrowserContext, BrowserContextOptions, Frame, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { uniqueIp } from "../../harness/client.ts";
import type { Session } from "../../harness/session.ts";
import { root } from "../../scripts/root.ts";
import { isWhole } from "../support/breadth.ts";
import { sharedService } from "../support/shared-service.ts";

// Opens the dashboard as a person sees it. A test of a page needs `isolatedBrowser()` and `usersOfFile()` at the top of
// its file, then a program from `people.world()`, and then `openDashboard`.

export const widths = { phone: 390, laptop: 1280, desktop: 1440, wide: 1920 } as const;
export type Width = keyof typeof widths;
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

export interface DashboardOptions {
  /** The signed-in user. By default, no user is signed in. */
  readonly user?: Session;
  /** The default is the owners' app. */
  readonly app?: "app" | "partner";
  /** The path below the app. The default is the start page. */
  readonly at?: string;
  readonly theme?: Theme;
  readonly width?: Width;
  /** The service's URL. The default is the shared service's. */
  readonly url?: string;
}

/** Opens a page. At the end of the test, checks that it threw nothing, logged no error and violated no CSP. */
export async function openDashboard(
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>,
  { user, app = "app", at = "/", theme = "light", width = "laptop", url = sharedService.url }: DashboardOptions = {},
): Promise<Page> {
  const context = await newContext({
    baseURL: url,
    colorScheme: theme,
    locale: "en-GB",
    timezoneId: "Europe/Amsterdam",
    viewport: { width: widths[width], height: width === "phone" ? 844 : 900 },
    hasTouch: width === "phone",
    isMobile: width === "phone",
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    // A different IP address per page, so that each has its own rate limits.
    extraHTTPHeaders: { "cf-connecting-ip": uniqueIp() },
  });
  if (user !== undefined) {
    const { hostname } = new URL(url);
    await context.addCookies([...user.cookies].map(([name, value]) => ({ name, value, domain: hostname, path: "/" })));
  }
  const page = await context.newPage();
  const faults = watch(page);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await keepPicture(page, task.name);
    await context.close();
    expect(faults, "the page threw, or logged an error").toEqual([]);
  });
  await page.goto(`/${app}${at}`);
  return page;
}

/** Collects exceptions and logged errors. A refused request isn't a fault, because the page has to handle it. */
function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  return faults;
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = join(root, "test/dashboard/failed");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/\W+/g, "-")}.png`);
  await page.screenshot({ path, fullPage: true, timeout: 2_000 }).catch(() => undefined);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The themes differ only in colors, so the dark theme is checked only by the rules about colors. */
const axeOptions: Readonly<Record<Theme, object>> = {
  light: { resultTypes: ["violations"] },
  dark: { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] },
};

/**
 * Runs axe-core on the open dialog, which makes the rest of the page inert, or otherwise on the page. A run takes as
 * long as the rest of a test. So without `inThemes`, only `npm run soak` runs it, in both themes.
 */
export const expectAccessible = (page: Page, inThemes: readonly Theme[] = isWhole ? themes : []): Promise<void> =>
  expectFrameAccessible(page, page.mainFrame(), inThemes);

/** Like `expectAccessible`, but checks a frame in the page. */
export async function expectFrameAccessible(page: Page, frame: Frame, inThemes: readonly Theme[]): Promise<void> {
  if (inThemes.length === 0) return;
  if (await frame.evaluate<boolean>("typeof axe === 'undefined'")) await frame.evaluate(axe);
  for (const colorScheme of inThemes) {
    await page.emulateMedia({ colorScheme });
    const run = `axe.run(document.querySelector("dialog[open]") ?? document, ${JSON.stringify(axeOptions[colorScheme])})`;
    const violations = await frame.evaluate<AxeFinding[]>(`${run}.then(({ violations }) => violations)`);
    const told = violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
    expect(told, `in the ${colorScheme}`).toEqual([]);
  }
}

/** Checks that no element is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(content).toBeLessThanOrEqual(window);
}

/** Checks that the page fits windows of these widths, without scrolling sideways. */
export async function expectFits(page: Page, ofWidths: readonly number[] = [320, 1280]): Promise<void> {
  const before = page.viewportSize() ?? { width: 390, height: 844 };
  for (const width of ofWidths) {
    await page.setViewportSize({ ...before, width });
    await expectNoSidewaysScroll(page);
  }
  await page.setViewportSize(before);
}

/** Checks that a row of links that is wider than the window is scrolled to the current link. */
export async function expectCurrentInSight(page: Page): Promise<void> {
  const hidden = await page.evaluate<(string | null)[]>(
    `[...document.querySelectorAll('[aria-current="page"]')]
      .filter((link) => {
        const { left, right } = link.getBoundingClientRect();
        return left < 0 || right > document.documentElement.clientWidth;
      })
      .map((link) => link.textContent)`,
  );
  expect(hidden).toEqual([]);
}

/** Checks that content that was shown first didn't move when the rest arrived. */
export async function expectNothingMoved(page: Page): Promise<void> {
  const moved = await page.evaluate<number>(
    `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
      const observer = new PerformanceObserver(() => {});
      observer.observe({ type: "layout-shift", buffered: true });
      resolve(observer.takeRecords().reduce((all, { value }) => all + value, 0));
    })))`,
  );
  expect(moved).toBeLessThan(0.01);
}

/** Returns the paths below `/app` in a program's navigation. */
export async function pagesOf(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation", { name: "Program" }).getByRole("link");
  await links.first().waitFor();
  return page
    .$$eval('nav[aria-label="Program"] a', (found) => found.map((link) => link.getAttribute("href") ?? ""))
    .then((hrefs) => hrefs.map((href) => href.replace(/^\/app/, "")));
}

/** Waits until the page's first requests are answered. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
}

/** Chooses a partner in the filter that searches for partners, or all partners if the name is undefined. */
export async function choosePartner(page: Page, name: string | undefined): Promise<void> {
  const field = page.getByRole("combobox", { name: "Partner", exact: true });
  await field.fill(name ?? "");
  await page
    .getByRole("listbox", { name: "Partners" })
    .getByRole("option", { name: name ?? "All partners" })
    .click();
}

export const openMenu = (page: Page, label: string): Promise<void> =>
  page.locator("summary", { hasText: `${label}:` }).click();

type NewContext = (options?: BrowserContextOptions) => Promise<BrowserContext>;

/** Creates pages whose clock `soon` can speed up. */
export const withClock =
  (newContext: NewContext): NewContext =>
  async (options) => {
    const context = await newContext(options);
    await context.clock.install();
    return context;
  };

/** Speeds up the page's clock, so that polls and retries come sooner. */
export async function soon(page: Page, waiting: Promise<unknown>): Promise<void> {
  let isOver = false;
  const waited = waiting.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await page.clock.fastForward(1_000);
    await delay(100);
  }
  await waited;
}
