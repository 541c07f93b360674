import { chromium, type ElementHandle, type Frame, type Page } from "playwright-core";
import { flags } from "../browser.ts";
import { profileFolder } from "./program.ts";
import { asJson, type BrowserOptions, parsed, type RealBrowser, viewport } from "./tab.ts";

const frameOf = (page: Page): Frame => {
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error("the page has no frame");
  return frame;
};

const run = async <T>(frame: Frame, expression: string) => parsed<T>(await frame.evaluate(asJson(expression)));

async function click(frame: Frame, expression: string): Promise<void> {
  const element = (await frame.evaluateHandle(expression)).asElement() as ElementHandle | null;
  if (element === null) throw new Error(`no element: ${expression}`);
  await element.click();
}

export async function openChromium(
  executablePath: string,
  { theme, blocksThirdParties }: BrowserOptions,
): Promise<RealBrowser> {
  const profile = await profileFolder();
  const browser = await chromium.launch({
    executablePath,
    // Playwright's default arguments turn off the partitioning of third-party storage.
    ignoreDefaultArgs: true,
    args: [
      ...flags,
      "--headless",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile.path}`,
      ...(blocksThirdParties ? ["--test-third-party-cookie-phaseout"] : []),
    ],
  });
  const context = await browser.newContext({ viewport, colorScheme: theme });
  const page = await context.newPage();
  return {
    tab: {
      open: async (address) => void (await page.goto(address)),
      run: (expression) => run(page.mainFrame(), expression),
      runInFrame: async (expression) => run(frameOf(page), expression),
      click: (element) => click(page.mainFrame(), element),
      clickInFrame: (element) => click(frameOf(page), element),
    },
    close: async () => {
      await browser.close();
      await profile.remove();
    },
  };
}
