import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inject, onTestFinished, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = signUpUsers();

/** A merchant's site that serves `html`. */
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

test("from signing up to a verified integration, with nothing but the page", async () => {
  const page = await openDashboard(newContext);
  const shop = await openShop();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const step = (name: string) => page.getByRole("listitem", { name });

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
  await page.getByLabel("Currency").selectOption("EUR");
  await press("Create program");

  const key = step("Your API key");
  await key.getByRole("button", { name: "Copy key" }).click();
  const apiKey = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(apiKey).toMatch(/^svc_/);
  await expectAccessible(page);

  const website = step("Your website");
  await website.getByLabel("Website").fill(shop.url);
  await press("Save");
  await website.getByText(shop.url).waitFor();

  await press("Save commission");
  await step("What partners earn").getByText("Your commission is set").waitFor();

  await fill("Name", "Anna");
  await fill("Code", "anna");
  await press("Add partner");
  const link = `${shop.url}?aff=anna`;
  await step("Your first partner").getByText(link).waitFor();

  await step("Tracking script").getByRole("button", { name: "Copy script tag" }).click();
  const tag = await page.evaluate<string>("navigator.clipboard.readText()");
  shop.html = `<!doctype html><title>Shop</title>${tag}`;
  const visitor = await (await newContext()).newPage();
  await visitor.goto(link);
  await visitor.evaluate("svc.ready");
  const clickId = await visitor.evaluate<string>("svc.getClickId()");
  expect(clickId, shop.html).toMatch(/^AQ/);
  await page.getByText("Real clicks are arriving.").waitFor();

  const calls = step("Report sign-ups and sales");
  await calls.getByRole("button", { name: "Copy install command" }).click();
  const install = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(install.split("\n").at(-1)).toBe(`npm install ${sharedService.url}/${inject("sdk").newestFile}`);

  const api = sharedApi();
  await api.lead({ customer_key: "u1", click_id: clickId }, { key: apiKey });
  const arrived = page.getByRole("region", { name: "Last received" });
  await arrived.getByText("Done: Lead").waitFor();

  await press("Run verification");
  await page.getByText("Sale attributed to the partner, and a commission earned").waitFor();
  await page.getByText("The integration is verified.").waitFor();
  await expectAccessible(page);

  await api.sale({ customer_key: "u1", transaction_id: "t1", amount_cents: 4900 }, { key: apiKey });
  await page.getByText("You are live").waitFor();
  await arrived.getByText("Done: Sale").waitFor();
  await expectNoSidewaysScroll(page);
});

test("a verification that fails says at which step, and what to do; then it passes", async () => {
  const { programId } = await people.world({ policies: [] });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/setup` });
  const verification = page.getByRole("listitem", { name: "Verify the integration" });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await press("Run verification");
  await verification.getByText("The sale earned nothing because no commission is set.").waitFor();
  expect(await verification.getByText("Passed").count()).toBe(2);
  await expectAccessible(page);

  await page.getByLabel("Rate").fill("120");
  await press("Save commission");
  await page.getByText("Enter a percentage from 0 to 100").waitFor();
  await page.getByLabel("Rate").fill("12.5");
  await press("Save commission");
  await page.getByText("Your commission is set").waitFor();
  await press("Run verification");
  await verification.getByText("Sale attributed to the partner, and a commission earned").waitFor();
  expect(await verification.getByText("Passed").count()).toBe(3);
});
