import { expect, test } from "vitest";
import { ownBrowser } from "../support/browser.ts";
import { ownService } from "../support/own-service.ts";
import { signUp } from "../support/session.ts";
import { clickOf } from "../support/shop.ts";
import { openDashboard, settled } from "./support.ts";

const newContext = ownBrowser();
const own = ownService();
const limited = ownService({ limits: { USER_READ_LIMIT: 1, USER_WRITE_LIMIT: 1 } });

test("while the service or its database is away, what was there stays; afterwards all goes on by itself", async () => {
  const { url } = own.service;
  const user = await signUp(url);
  const { programId } = await own.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await settled(page);
  const banner = page.getByText("The service can't be reached.");
  expect(await banner.count()).toBe(0);

  await own.service.kill();
  await banner.waitFor();
  await page.getByRole("heading", { name: "Your website" }).waitFor();
  await own.service.restart();
  await banner.waitFor({ state: "detached" });

  own.database.pause();
  await banner.waitFor();
  await page.getByRole("button", { name: "Send a test click" }).click();
  await page.getByText("The service can't be reached just now.").waitFor();
  own.database.resume();
  await banner.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send a test click" }).click();
  await page.getByText(/Test click \d+ is here/).waitFor();
});

test.each([
  ["overview", "€100.00"],
  ["events", "t1"],
])("%s, opened while the database is away, comes by itself when it is back", async (name, text) => {
  const { url } = own.service;
  const user = await signUp(url);
  const { programId, key, partner } = await own.world({ members: [{ user, role: "viewer" }] });
  const api = own.api();
  await api.lead({ customer_key: "u", click_id: clickOf(programId, partner, Date.now() - 60_000) }, { key });
  await api.sale({ transaction_id: "t1", customer_key: "u", amount_cents: 10_000 }, { key });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await settled(page);
  const banner = page.getByText("The service can't be reached.");

  own.database.pause();
  await page
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(name, "i") })
    .click();
  await banner.waitFor();
  expect(await page.getByRole("main").getByText(text).count()).toBe(0);
  own.database.resume();
  await page.getByRole("main").getByText(text).first().waitFor();
  await banner.waitFor({ state: "detached" });
});

test("whoever asks too often is told so, and not that the service is away", async () => {
  const { url } = limited.service;
  const user = await signUp(url);
  const { programId } = await limited.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/setup`, url });
  await page.getByText("Too many requests. What you see may be old; it is asked again by itself").waitFor();
  expect(await page.getByText("The service can't be reached").count()).toBe(0);
});
