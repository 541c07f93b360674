import { expect, test } from "vitest";
import { formatAgo, formatDayOf, formatEverywhere, formatInstant, zoneName } from "../../dashboard/src/format-time.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, hour, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("times are shown in the program's time zone, without the current year, and in other time zones in the tooltip", () => {
  const instant = "2026-11-20T07:20:00.000Z";
  const now = Date.parse("2026-11-22T00:00:00Z");
  expect(formatInstant(instant, "Asia/Tokyo", now)).toMatch(/Nov 20, 4:20/);
  expect(formatInstant(instant, "America/Los_Angeles", now)).toMatch(/Nov 19, 11:20/);
  expect(formatInstant(instant, "UTC", Date.parse("2027-01-02T00:00:00Z"))).toContain("2026");
  expect(formatInstant("2026-12-31T23:30:00Z", "Asia/Tokyo", now)).toContain("2027");
  expect(formatDayOf(instant, "America/Los_Angeles", now)).toBe("Nov 19");
  expect(zoneName("America/Los_Angeles", now)).toBe("PST");
  expect(formatEverywhere(instant, "UTC", "UTC").split("\n")).toHaveLength(2);
  const [there, here, utc] = formatEverywhere(instant, "UTC", "America/Los_Angeles").split("\n");
  expect(there).toMatch(/Nov 20, 2026.*UTC/);
  expect(here).toMatch(/^Your time: Nov 19, 2026.*PST/);
  expect(utc).toBe(instant);
});

test("relative times are rounded", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const ago = (seconds: number) => formatAgo(new Date(now - seconds * 1000).toISOString(), now);
  expect([0, 9, 30, 60, 7_200].map(ago)).toEqual([
    "just now",
    "just now",
    "30 seconds ago",
    "1 minute ago",
    "2 hours ago",
  ]);
});

test.each(
  sampled([
    { locale: "ar-EG", timezoneId: "Asia/Tokyo" },
    { locale: "de-DE", timezoneId: "America/Los_Angeles" },
  ]),
)(
  "a browser in $locale shows days and times in the program's zone, with Latin digits",
  { tags: "soak" },
  async ({ locale, timezoneId }) => {
    const world = await people.world({ program: { timezone: "Europe/Berlin" }, partners: [{}, {}] });
    const shop = programFixture(world, sharedApi());
    const midnight = Date.parse(`${at(daysAgo(3)).slice(0, 10)}T00:00:00Z`);
    await shop.sale({ transaction_id: "early", customer_key: "u", occurred_at: at(midnight - 2 * hour) });
    await shop.sale({ transaction_id: "late", customer_key: "u", occurred_at: at(midnight + hour) });
    await shop.sale({ transaction_id: "now", customer_key: "u" });
    const abroad: typeof newContext = (options) => newContext({ ...options, locale, timezoneId });
    const page = await openDashboard(abroad, { user: people.viewer, at: `/programs/${world.programId}/events` });
    await settled(page);
    const timeOf = (sale: string) => page.getByRole("row").filter({ hasText: sale }).locator("time");
    const dayIn = (instant: number) =>
      Number(new Intl.DateTimeFormat("en", { timeZone: "Europe/Berlin", day: "numeric" }).format(instant));
    for (const [sale, instant] of [
      ["early", midnight - 2 * hour],
      ["late", midnight + hour],
    ] as const) {
      expect(await timeOf(sale).textContent()).toMatch(new RegExp(`(^|\\D)${dayIn(instant)}\\D`));
      const [there = "", here = "", utc] = (await timeOf(sale).getAttribute("title"))?.split("\n") ?? [];
      expect(there).toMatch(/CES?T|GMT\+[12]/);
      expect(here).toContain("Your time: ");
      expect(utc).toBe(at(instant));
    }
    expect(await timeOf("now").textContent()).toMatch(/just now|seconds ago|minutes? ago/);
    await page.getByRole("columnheader", { name: /^Time \((CES?T|GMT\+[12])\)$/ }).waitFor();
    await page.goto(`/app/programs/${world.programId}/overview?show=revenue`);
    const revenue = page.locator(".tile", { hasText: "Revenue" });
    await expect.poll(() => revenue.innerText()).toMatch(/^Revenue\s*€\d[\d,]*\.\d\d/);
    expect(await page.locator("main").innerText()).not.toMatch(/[٠-٩۰-۹]/);
  },
);

test("settings show a time zone that the browser lists under another name", { tags: "soak" }, async () => {
  const world = await people.world({ program: { timezone: "America/Argentina/Buenos_Aires" } });
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${world.programId}/settings` });
  const field = page.getByRole("combobox", { name: "Time zone" });
  expect(await field.inputValue()).toBe("America/Argentina/Buenos_Aires");
});
