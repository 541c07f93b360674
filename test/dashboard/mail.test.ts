import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
const mailer = await mailReceiver();
const own = isolatedService({ vars: { ...mailer.vars, BASE_URL: "https://tributary.example" } });

let owner: User;
let viewer: User;
let world: World;
beforeAll(async () => {
  [owner, viewer] = [await own.user("Olga"), await own.user("Vic")];
  for (const user of [owner, viewer]) await setVerified(own.database.url, user, true);
  world = await own.world({
    members: [
      { user: owner, role: "owner" },
      { user: viewer, role: "viewer" },
    ],
  });
});

const labels = [
  "Applications to become a partner",
  "Missing sales that partners report",
  "Commissions to review or confirm",
  "Failing webhooks",
  "Payouts",
];
const settingsPage = (user: User) =>
  openDashboard(newContext, {
    user,
    at: `/programs/${world.programId}/settings?section=mail`,
    url: own.service.url,
  });
const shown = async (page: Page) => {
  const values: string[] = [];
  for (const label of labels) values.push(await page.getByLabel(label, { exact: true }).inputValue());
  return values;
};
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const stored = async (user: User) =>
  Object.values((await user.get<{ data: object }>(`/api/programs/${world.programId}/notifications`)).body.data);

test("each member chooses which emails about a program to get, and can stop all of these emails on the Account page", async () => {
  const page = await settingsPage(owner);
  await page.getByRole("heading", { name: "Mail" }).waitFor();
  await settled(page);
  expect(await shown(page)).toEqual(["daily", "daily", "daily", "daily", "daily"]);
  await page.getByLabel("Failing webhooks").selectOption("Off");
  await page.getByLabel("Payouts", { exact: true }).selectOption("Weekly, on Monday");
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  expect(await stored(owner)).toEqual(["daily", "daily", "daily", "off", "weekly"]);
  await page.reload();
  await settled(page);
  expect(await shown(page)).toEqual(["daily", "daily", "daily", "off", "weekly"]);
  expect(await stored(viewer)).toEqual(["off", "off", "off", "off", "off"]);

  await page.goto("/app/account");
  await page.getByText("You get at most one email a day about open tasks.").waitFor();
  await button(page, "Stop all of these emails").click();
  await page.getByText("You get no emails about open tasks.").waitFor();
  expect(await stored(owner)).toEqual(["off", "off", "off", "off", "off"]);
  await button(page, "Email me about programs that I own").click();
  await button(page, "Stop all of these emails").waitFor();
  expect(await stored(owner)).toEqual(["daily", "daily", "daily", "daily", "daily"]);
});

test("a viewer chooses emails, on a phone", { tags: "soak" }, async () => {
  for (const theme of themes) {
    const page = await openDashboard(newContext, {
      user: viewer,
      at: `/programs/${world.programId}/settings?section=mail`,
      url: own.service.url,
      theme,
      width: "phone",
    });
    await settled(page);
    await expectAccessible(page, [theme]);
    await expectNoSidewaysScroll(page);
    await page.getByLabel("Payouts", { exact: true }).selectOption(theme === "light" ? "Daily" : "Off");
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    expect((await stored(viewer)).at(-1)).toBe(theme === "light" ? "daily" : "off");
    await page.goto("/app/account");
    await button(page, "Stop all of these emails").waitFor();
    await settled(page);
    await expectAccessible(page, [theme]);
    await expectNoSidewaysScroll(page);
  }
});

test("the settings and the Account page say why the service sends no emails", { tags: "soak" }, async () => {
  await setVerified(own.database.url, viewer, false);
  const unverified = await settingsPage(viewer);
  await unverified.getByText("Verify your address on the Account page to get emails.").waitFor();
  await expectAccessible(unverified);
  // The shared service has no mailer.
  const { programId } = await people.world();
  for (const at of [`/programs/${programId}/settings?section=mail`, "/account"]) {
    const page = await openDashboard(newContext, { user: people.owner, at });
    await page.getByText("This service sends no email. Its operator has to set up a mailer.").waitFor();
    await settled(page);
    await expectAccessible(page);
  }
});
