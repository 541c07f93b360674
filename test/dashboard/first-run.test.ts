import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator } from "playwright-core";
import { expect, inject, onTestFinished, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, soon, withClock } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

/** Starts a merchant's site that serves `html`. */
async function openShop(): Promise<{ readonly url: string; html: string }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(shop.html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const shop = { url: `http://www.shop.localhost:${port}/`, html: "" };
  return shop;
}

test("the dashboard leads from sign-up to a live program", async () => {
  const page = await openDashboard(withClock(newContext));
  const shop = await openShop();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const step = (name: string) => page.getByRole("listitem", { name, exact: true });
  const copied = () => page.evaluate<string>("navigator.clipboard.readText()");

  await page.getByRole("link", { name: "Create an account" }).click();
  await fill("Name", "Grace Hopper");
  await fill("Email", `${randomUUID()}@people.example`);
  await fill("Password", "long enough");
  await expectAccessible(page);
  await press("Create account");
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  await expectAccessible(page);
  await fill("Name", "Acme");
  await press("Create workspace");
  await page.getByRole("heading", { name: "Create a program" }).waitFor();
  await expectAccessible(page);
  await fill("Name", "Acme partners");
  const currency = page.getByLabel("Currency");
  expect(await currency.inputValue()).toBe("EUR");
  const listed = await currency.locator("option").allInnerTexts();
  expect(listed).toContain("SLE – Sierra Leonean Leone");
  const funds = ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"];
  expect(listed.filter((text) => !/^(\w+) – (?!\1)/.test(text))).toEqual(funds);
  await press("Create program");

  await page.getByRole("heading", { name: "Save your API key" }).waitFor();
  const isCut = "[...document.querySelectorAll('pre')].some((each) => each.scrollWidth > each.clientWidth)";
  expect(await page.evaluate<boolean>(isCut), "of the key").toBe(false);
  await press("Copy key");
  const apiKey = await copied();
  expect(apiKey).toMatch(/^svc_/);
  const downloaded = page.waitForEvent("download");
  await press("Download .env");
  const file = await readFile(await (await downloaded).path(), "utf8");
  expect(file).toBe(`TRIBUTARY_URL=${sharedService.url}\nTRIBUTARY_API_KEY=${apiKey}\n`);
  await expectAccessible(page);
  const asked = page.waitForEvent("dialog").then(async (dialog) => {
    await dialog.dismiss();
    return dialog.type();
  });
  await page.reload({ timeout: 1_000 }).catch(() => undefined);
  expect(await asked).toBe("beforeunload");
  await page.getByLabel("I've saved it").check();
  await press("Continue");

  await page.getByRole("heading", { name: "Setup" }).waitFor();
  expect(await page.getByText(apiKey).count()).toBe(0);
  const leftOf = async (element: Locator) => (await element.boundingBox())?.x;
  expect(await leftOf(step("Website").getByRole("heading"))).toBe(await leftOf(step("Website").locator(".step-head")));
  await step("Website").getByLabel("Website").fill(shop.url);
  await expectAccessible(page);
  await press("Save");
  await press("Save commission");
  await step("Website").getByText(shop.url).waitFor();
  await step("Commission").getByText("20% of each sale, held for 15 days").waitFor();
  await fill("Name", "Anna");
  await fill("Code", "anna");
  await press("Add partner");
  const link = `${shop.url}?aff=anna`;
  await step("First partner").getByText(link).waitFor();

  await press("Copy script tag");
  shop.html = `<!doctype html><title>Shop</title>${await copied()}`;
  await press("Continue");
  await press("Copy install command");
  expect((await copied()).split("\n").at(-1)).toBe(`npm install ${sharedService.url}/${inject("sdk").newestFile}`);
  await press("Python");
  await expectAccessible(page);
  await press("Continue");

  const check = step("Check your integration");
  await check.getByText("Waiting for a click…").waitFor();
  await expectAccessible(page);
  expect(await check.getByRole("link", { name: "Open test link" }).getAttribute("href")).toBe(link);
  const automated = await (await newContext({ userAgent: "Mozilla/5.0 HeadlessChrome/142.0.0.0" })).newPage();
  await automated.goto(link);
  const isBot = "from an automated browser, so it isn't counted";
  await soon(page, check.getByText(isBot).waitFor());
  await press("Open Tracking script");
  await step("Tracking script").getByText(isBot).waitFor();
  await press("Open Check your integration");
  const visitor = await (await newContext()).newPage();
  await visitor.goto(link);
  await visitor.evaluate("svc.ready");
  const clickId = await visitor.evaluate<string>("svc.getClickId()");
  await soon(page, check.getByText("Click received").waitFor());
  const api = sharedApi();
  await api.lead({ customer_key: "u1", click_id: clickId }, { key: apiKey });
  await soon(page, check.getByText("Attributed to anna.").waitFor());
  expect(await page.getByText("You're live").count()).toBe(0);
  await api.sale({ customer_key: "u1", transaction_id: "t1", amount_cents: 4900 }, { key: apiKey });
  await soon(page, check.getByText("€49.00 → €9.80 commission").waitFor());
  await page.getByText("You're live").waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  const navigation = page.getByRole("navigation", { name: "Program" });
  expect(await navigation.locator('[aria-current="page"]').innerText()).toBe("Setup");
  await page.getByRole("link", { name: "Go to Settings › Integration" }).click();
  await page.getByText(/Last click .* ago|Last click just now/).waitFor();
  expect(await navigation.getByRole("link").allInnerTexts()).not.toContain("Setup");
  // The chosen programming language is remembered.
  await page.getByText("urllib.request").first().waitFor();
  await expectAccessible(page);
});

test("a new program's owner can do all first steps without a mouse", { tags: "soak" }, async () => {
  const page = await openDashboard(newContext, { at: "/sign-up" });
  const { keyboard } = page;
  const focusOn = async (target: Locator) => {
    await target.waitFor();
    const isFocused = () => target.evaluate((element) => element === document.activeElement);
    for (let tabs = 0; tabs < 40 && !(await isFocused()); tabs += 1) await keyboard.press("Tab");
    expect(await isFocused(), String(target)).toBe(true);
  };
  const type = async (label: string, text: string) => {
    await focusOn(page.locator("input").and(page.getByLabel(label, { exact: true })));
    await keyboard.type(text);
  };
  const press = async (name: string, role: "button" | "link" = "button") => {
    await focusOn(page.getByRole(role, { name, exact: true }));
    await keyboard.press("Enter");
  };
  const arrived = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

  await type("Name", "Grace Hopper");
  await type("Email", `${randomUUID()}@people.example`);
  await type("Password", "long enough");
  await keyboard.press("Enter");
  await arrived("Name your workspace");
  await type("Name", "Acme");
  await keyboard.press("Enter");
  await arrived("Create a program");
  await type("Name", "Acme partners");
  await press("Create program");
  await arrived("Save your API key");
  await press("Copy key");
  await focusOn(page.getByLabel("I've saved it"));
  await keyboard.press("Space");
  await press("Continue");

  await arrived("Setup");
  await type("Website", "https://shop.example");
  await keyboard.press("Enter");
  await arrived("Commission");
  await focusOn(page.getByLabel("Rate"));
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("25");
  await press("Save commission");
  await page.getByText("25% of each sale").waitFor();

  await press("Settings", "link");
  await press("Members", "link");
  await press("Invite member");
  await type("Email", "ada@people.example");
  await keyboard.press("Enter");
  await press("Copy invite link");
  await press("Done");
  await page.getByRole("row").filter({ hasText: "ada@people.example" }).waitFor();
});

test("the test of the service shows the failed step and the remedy, and a passed test doesn't count as a verified integration", {
  tags: "soak",
}, async () => {
  const shop = salesFixture(programFixture(await people.world({ policies: [], partners: [{}, {}] }), sharedApi()));
  const { programId } = shop.world;
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/setup` });
  const service = page.getByRole("region", { name: "Test the service" });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await press("Run test");
  await service.getByText("The sale earned nothing because no commission is set.").waitFor();
  expect(await service.getByText("Passed").count()).toBe(2);
  const guide = service.getByRole("link", { name: "Read the guide on errors" });
  expect((await fetch(sharedService.url + (await guide.getAttribute("href")))).status).toBe(200);
  await expectAccessible(page);

  await page.getByLabel("Rate").fill("120");
  await press("Save commission");
  await page.getByText("Enter a percentage from 0 to 100").waitFor();
  await page.getByLabel("Rate").fill("12.5");
  await press("Save commission");
  await page.getByText("12.5% of each sale").waitFor();
  await press("Run test");
  await service.getByText("Sale attributed to the partner, and a commission earned").waitFor();
  expect(await service.getByText("Passed").count()).toBe(3);
  await press("Open Check your integration");
  await page.getByText("Waiting for a sale…").waitFor();

  await shop.sell({ transaction_id: "tested", ...inTestMode });
  await page.getByText("A test sale arrived. Test events don't count here").waitFor();
  await expectAccessible(page);
  await shop.refer("c1");
  await shop.sell({ transaction_id: "real", amount_cents: 4_000 });
  await press("Reject its commission…");
  await page.getByLabel("Reason").fill("our own test");
  await press("Reject commission");
  await page.getByText("on this sale was rejected").waitFor();
  await page.getByRole("button", { name: "Reject its commission…" }).waitFor({ state: "detached" });
  await expectAccessible(page);
});

test("Setup copies the instructions for a developer as one text, without the API key", { tags: "soak" }, async () => {
  const { programId, key } = await people.world();
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/setup` });
  await page.getByRole("button", { name: "Copy instructions for my developer" }).click();
  const text = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(text).toContain(
    `<script async src="${sharedService.url}/js/svc-tracker.js" data-svc-gpc="minimal" data-svc-program-id="${programId}">`,
  );
  expect(text).not.toContain(key);
  expect(text).not.toContain("svc_");
  for (const [address] of text.matchAll(/https?:\S+\/docs\S*/g)) expect((await fetch(address)).status).toBe(200);
});

test("Setup shows the command that compares payments with sales, and the result of the last comparison", async () => {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
  const { programId, key } = shop.world;
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/setup` });
  const comparison = page.getByRole("region", { name: "Compare with your payments" });
  await comparison.getByText("tributary-sdk reconcile stripe --since 30d").waitFor();
  const body = {
    ...{ processor: "lemon-squeezy", from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z" },
    ...{ matched: 812, missing: 2, unexpected: 0, differs: 1 },
  };
  expect((await sharedApi().request("POST", "/api/v1/programs/me/reconciliations", { key, body })).status).toBe(201);
  await comparison
    .getByText(/^Lemon Squeezy, .*812 payments matched, 2 missing payments, 1 sale with other figures\.$/)
    .waitFor();
  await expectAccessible(page);
});
