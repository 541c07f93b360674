import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
const inHighContrast: typeof newContext = (options) => newContext({ ...options, forcedColors: "active" });

test("with forced colors, selected items stand out, and the chart keeps its grid", { tags: "soak" }, async () => {
  const world = await people.world({ partners: [{}, {}] });
  const shop = programFixture(world, sharedApi());
  for (const days of [0, 2, 4]) await shop.visit({ occurred_at: at(daysAgo(days)) }, { key: world.key });
  await shop.sale({ customer_key: "u" });
  const page = await openDashboard(inHighContrast, {
    user: people.viewer,
    at: `/programs/${world.programId}/overview?period=7d`,
  });
  await settled(page);
  await page.locator(".chart svg").waitFor();
  const looksOf = (selector: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
        const { backgroundColor, outlineStyle, borderBottomWidth } = getComputedStyle(element);
        return [backgroundColor, outlineStyle, borderBottomWidth].join(" ");
      })`,
    );
  for (const group of ["nav[aria-label=Program] a", ".tile", ".tops .segments button"]) {
    const [first, ...others] = await looksOf(group);
    expect(others.length, group).toBeGreaterThan(0);
    expect(others, group).not.toContain(first);
  }
  const chart = page.locator(".chart svg");
  expect(await chart.locator(".chart-fill").isVisible()).toBe(false);
  const strokeOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).stroke`);
  expect(await strokeOf(".chart-line")).not.toBe(await strokeOf(".chart-grid"));
  await expectAccessible(page);
});
