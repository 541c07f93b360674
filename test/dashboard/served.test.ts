import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { sharedApi } from "../support/shared-service.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();

const get = (path: string) => sharedApi().request("GET", path, { checked: false });
const csp = /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; .*frame-ancestors 'none'$/;

test.each([
  ["/app/", "/app/account"],
  ["/partner/", "/partner/programs/1/partners/2/links"],
])(
  "the app at %s has the same headers at each of its URLs, whether static assets or the Worker respond",
  async (app, below) => {
    const [asset, route] = await Promise.all([get(app), get(below)]);
    expect(route.text).toBe(asset.text);
    for (const { status, headers } of [asset, route]) {
      expect(status).toBe(200);
      expect(headers.get("content-type")).toMatch(/^text\/html/);
      expect(headers.get("content-security-policy")).toMatch(csp);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toMatch(/no-cache|must-revalidate/);
    }
  },
);

test("the API reference works by keyboard and in both themes, and links back", { tags: "soak" }, async () => {
  const page = await openDashboard(newContext);
  await page.goto("/docs");
  await expectAccessible(page);
  const nav = page.getByRole("navigation", { name: "Contents" });
  const [height, content] = await page.evaluate<[number, number]>(
    "(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])(document.querySelector('nav'))",
  );
  expect(height).toBeLessThan(content);
  expect(height).toBeLessThanOrEqual(900);
  await nav.getByRole("link", { name: "Dashboard" }).click();
  await page.waitForURL("**/app/**");
});

test.each(["app", "partner"])(
  "the script files of /%s/ are cached permanently, and a missing script file gets 404 and not the app's page",
  async (app) => {
    const { text } = await get(`/${app}/`);
    const [script] = new RegExp(`/${app}/assets/[\\w-]+\\.js`).exec(text) ?? [];
    const part = await get(String(script));
    expect(part.status).toBe(200);
    expect(part.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const gone = await get(`/${app}/assets/index-gone.js`);
    expect(gone.status).toBe(404);
    expect(gone.headers.get("content-type")).toMatch(/json/);
  },
);

test("/partner redirects to the partners' app", async () => {
  const { status, headers } = await get("/partner");
  expect([status, headers.get("location")]).toEqual([307, "/partner/"]);
});

test("the service's root redirects to the dashboard", async () => {
  const { status, headers } = await get("/");
  expect([status, headers.get("location")]).toEqual([302, "/app/"]);
});
