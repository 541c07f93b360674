import { beforeAll, expect, test } from "vitest";
import { shardOf } from "#domain/shard.ts";
import type { User } from "../../harness/session.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { shardedService } from "../support/sharded-service.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const own = shardedService("weur", "enam");

let user: User;
let workspaceId: string;
beforeAll(async () => {
  user = await own.user();
  workspaceId = (await user.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" })).body.data.id;
});

test("a user can choose a new program's location if the service has several, and the program's pages work as usual", {
  tags: "soak",
}, async () => {
  const { url } = own.service;
  const page = await openDashboard(newContext, { user, url, at: `/workspaces/${workspaceId}/programs/new` });
  await page.getByLabel("Name", { exact: true }).fill("Cup and saucer");
  const location = page.getByLabel("Location", { exact: true });
  expect(await location.locator("option").allTextContents()).toEqual([
    "Any",
    "Western Europe",
    "Eastern North America",
  ]);
  await location.selectOption("Eastern North America");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create program" }).click();
  await page.waitForURL(/\/programs\/\d+\/setup/);
  const id = Number(/programs\/(\d+)/.exec(page.url())?.[1]);
  expect(shardOf(id)).toBe(2);
  await page.goto(`/app/programs/${id}/settings`);
  await page.getByRole("link", { name: "Audit trail" }).click();
  await page.getByText("Created the program").waitFor();
});
