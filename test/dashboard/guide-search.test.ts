import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { expectAccessible, expectNoSidewaysScroll, widths } from "./support.ts";

const newContext = isolatedBrowser();

async function open(path: string, width: number = widths.laptop): Promise<Page> {
  const context = await newContext({ baseURL: inject("shared").url, viewport: { width, height: 800 } });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole("searchbox").waitFor();
  return page;
}

const results = (page: Page) => page.getByRole("list", { name: "Results" }).getByRole("link");
const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");

test("a reader searches the guides and the API by keyboard, also on a phone", async () => {
  const page = await open("/docs", widths.phone);
  await page.keyboard.press("/");
  await page.keyboard.type("replace key");
  await results(page).first().waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  const [first, second] = await results(page).allInnerTexts();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await focused(page)).toBe(await results(page).nth(1).textContent());
  expect(second).not.toBe(first);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("/docs/guides/keys/#replace-a-key-without-downtime");
  await page.locator(":target", { hasText: "Replace a key without downtime" }).waitFor();
});

test("the search finds an API call by its path, tolerates a typo, and is cleared with Escape", {
  tags: "soak",
}, async () => {
  const page = await open("/docs/guides/");
  const field = page.getByRole("searchbox");
  await field.fill("POST track refund");
  await expect
    .poll(() => results(page).evaluateAll((links) => links.map((link) => link.getAttribute("href"))))
    .toContainEqual("/docs#trackRefund");
  await field.fill("comision");
  await expect.poll(() => results(page).first().innerText()).toMatch(/commission/i);
  await field.fill("zzqx");
  await page.getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  expect(await field.inputValue()).toBe("");
  expect(await page.locator(".search [role=status]").textContent()).toBe("");
});
