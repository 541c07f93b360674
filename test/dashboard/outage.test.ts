import { expect, test } from "vitest";
import { ownBrowser } from "../support/browser.ts";
import { ownService } from "../support/own-service.ts";
import { signUp } from "../support/session.ts";
import { openDashboard, settled } from "./support.ts";

const newContext = ownBrowser();
const own = ownService();

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
