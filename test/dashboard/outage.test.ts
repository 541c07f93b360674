import { describe, expect, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { clickOf } from "../support/program-fixture.ts";
import { openDashboard, settled, soon, withClock } from "./support.ts";

const newContext = withClock(isolatedBrowser());
const own = isolatedService();

test("during an outage of the service or its database, data stays on screen, and the page recovers by itself", async () => {
  const { url } = own.service;
  const user = await signUp(url);
  const { programId } = await own.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await settled(page);
  const testClick = page.getByRole("button", { name: "Send a test click" });
  // The button is in a part of the page that is loaded separately.
  await testClick.waitFor();
  const banner = page.getByText("Can't reach Tributary.");
  expect(await banner.count()).toBe(0);

  await own.service.kill();
  await soon(page, banner.waitFor());
  await page.getByRole("heading", { name: "Website" }).waitFor();
  await own.service.restart();
  await soon(page, banner.waitFor({ state: "detached" }));

  const heal = own.proxy.inject({ kind: "refuse" });
  await soon(page, banner.waitFor());
  await testClick.click();
  await page.getByText("Can't reach Tributary right now.").waitFor();
  heal();
  await soon(page, banner.waitFor({ state: "detached" }));
  await testClick.click();
  await page.getByText("Test click received. The program has 1 test click in total.").waitFor();
});

test.each(
  sampled([
    ["overview", "€100.00"],
    ["events", "t1"],
  ]),
)(
  "%s, opened while the database is unreachable, loads by itself when the database is back",
  { tags: "soak" },
  async (name, text) => {
    const { url } = own.service;
    const user = await signUp(url);
    const { programId, key, partner } = await own.world({ members: [{ user, role: "viewer" }] });
    const api = own.api();
    await api.lead({ customer_key: "u", click_id: clickOf(programId, partner, Date.now() - 60_000) }, { key });
    await api.sale({ transaction_id: "t1", customer_key: "u", amount_cents: 10_000 }, { key });
    const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
    await settled(page);
    const banner = page.getByText("Can't reach Tributary.");

    const heal = own.proxy.inject({ kind: "refuse" });
    await page
      .getByRole("navigation")
      .getByRole("link", { name: new RegExp(name, "i") })
      .click();
    await banner.waitFor();
    expect(await page.getByRole("main").getByText(text).count()).toBe(0);
    heal();
    await soon(page, page.getByRole("main").getByText(text).first().waitFor());
    await soon(page, banner.waitFor({ state: "detached" }));
  },
);

describe("the dashboard above a rate limit", () => {
  const limited = isolatedService({ limits: { USER_READ_LIMIT: 1, USER_WRITE_LIMIT: 1 } });

  test("above a rate limit, the dashboard reports the limit, and not an outage", { tags: "soak" }, async () => {
    const { url } = limited.service;
    const user = await signUp(url);
    const { programId } = await limited.world({ members: [{ user, role: "owner" }] });
    const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
    await page.getByText("Too many requests. You may be seeing old data. Retrying").waitFor();
    expect(await page.getByText("Can't reach Tributary").count()).toBe(0);
  });
});

test.each(
  sampled([
    ["an HTML page", { status: 502, contentType: "text/html", body: "<h1>502 Bad Gateway</h1>" }],
    ["JSON that isn't the service's", { status: 502, contentType: "application/json", body: '{"error":"upstream"}' }],
  ]),
)("the page reports a proxy that responds with %s, and recovers by itself", { tags: "soak" }, async (_, reply) => {
  const { url } = own.service;
  const user = await signUp(url);
  const { programId } = await own.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await settled(page);
  const pattern = "**/api/**";
  await page.route(pattern, (route) => route.fulfill(reply));
  await page.getByRole("navigation").getByRole("link", { name: "Events" }).click();
  await page.getByText("A server in front of Tributary returned an error (502).").waitFor();
  await page.unroute(pattern);
  await soon(page, page.getByText("No events yet").waitFor());
});

test("a part of a page that failed to load offline loads by itself once the connection is back", {
  tags: "soak",
}, async () => {
  const { url } = own.service;
  const user = await signUp(url);
  const { programId } = await own.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await settled(page);
  await page.context().setOffline(true);
  await page.getByRole("navigation").getByRole("link", { name: "Partners" }).click();
  await page.getByText("Couldn't load this content").waitFor();
  await page.context().setOffline(false);
  await soon(page, page.getByRole("heading", { name: "Partners" }).waitFor());
});
