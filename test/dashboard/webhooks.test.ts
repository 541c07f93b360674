import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { isSignedBy, type ReceivedEvent, taking, webhookReceiver } from "../support/webhook-receiver.ts";
import { expectAccessible, expectFits, expectNoSidewaysScroll, openDashboard, settled, type Width } from "./support.ts";

const newContext = isolatedBrowser();
const receiver = await webhookReceiver();
const own = isolatedService({ vars: receiver.vars });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

async function openShop(path: string, width: Width = "laptop") {
  const world = await own.world({ partners: [{ name: "Alice" }, {}], members: [{ user: owner, role: "owner" }] });
  const shop = salesFixture(programFixture(world, own.api()));
  const program = `/programs/${world.programId}`;
  const open = (at: string) =>
    openDashboard(newContext, { user: owner, at: `${program}/${at}`, width, url: own.service.url });
  const create = async (settings = {}) => {
    const json = { url: receiver.url(path), ...settings };
    const made = await owner.post<{ data: { id: number } }>(`/api${program}/webhooks`, json);
    expect(made.status, made.text).toBe(201);
    return `settings?section=webhooks&webhook=${made.body.data.id}`;
  };
  return { world, shop, open, create, program };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialogOf = (page: Page) => page.getByRole("dialog");
const deliveries = (page: Page) => page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
const got = (path: string, count: number): Promise<readonly ReceivedEvent[]> =>
  expect
    .poll(() => receiver.at(path))
    .toHaveLength(count)
    .then(() => receiver.at(path));

/** Presses the dialog's button, which has the same text as the button that opened the dialog. */
async function confirm(page: Page, name: string): Promise<void> {
  await dialogOf(page).getByRole("button", { name, exact: true }).click();
  await dialogOf(page).waitFor({ state: "detached" });
}

test("an owner creates a webhook, sees its secret once, and the webhook gets a signed example", async () => {
  const { open } = await openShop("/created");
  const page = await open("settings?section=webhooks");
  await button(page, "Create webhook…").click();
  await page.getByLabel("URL").fill("https://printer.local/");
  await page.getByLabel("Description").fill("Shop backend");
  await page.getByLabel("Events", { exact: true }).selectOption("Only some types");
  await button(page, "Create webhook").click();
  await page.getByText("Choose at least one.").waitFor();
  await page.getByRole("checkbox", { name: "sale.recorded" }).check();
  await expectAccessible(page, ["light"]);
  await button(page, "Create webhook").click();
  await dialogOf(page).getByRole("alert").waitFor();
  await page.getByLabel("URL").fill(receiver.url("/created"));
  await button(page, "Create webhook").click();

  await page.getByRole("heading", { name: "Save the signing secret" }).waitFor();
  await button(page, "Copy secret").click();
  const secret = await page.evaluate<string>("navigator.clipboard.readText()");
  await page.getByLabel("I've saved it").check();
  await button(page, "Continue").click();
  await page.getByRole("heading", { name: receiver.url("/created") }).waitFor();
  expect(await page.getByText(secret).count()).toBe(0);

  await page.getByText("First successful answer").waitFor();
  const examples = (count: number) => expect.poll(() => receiver.examplesAt("/created")).toHaveLength(count);
  await examples(1);
  await button(page, "Send example…").click();
  expect(await page.getByLabel("Type").inputValue()).toBe("sale.recorded");
  await confirm(page, "Send example");
  await examples(2);
  for (const event of receiver.examplesAt("/created")) expect(isSignedBy(secret, event)).toBe(true);
  await button(page, "Delivered").click();
  await deliveries(page).first().waitFor();
  const [type, status, answer] = await deliveries(page).first().getByRole("cell").allInnerTexts();
  expect([type?.split("\n"), status, answer?.trim()]).toEqual([["sale.recorded", "Example"], "Delivered", "204"]);
  await expectAccessible(page, ["light"]);
});

test("a webhook sends no real events until its server has accepted an example, and the page explains what to do", async () => {
  const { shop, open, create } = await openShop("/waits");
  receiver.answerWith("/waits", (reply) => void reply.writeHead(500).end("\u202eout of order"));
  const at = await create();
  await shop.sell({ transaction_id: "t1" });
  const page = await open(at);
  await page.getByText("Your server must first answer an example with 2xx.").waitFor();
  await page.getByText("None yet").waitFor();
  await expectFits(page, [360]);
  expect(await button(page, "Replay events…").count()).toBe(0);
  await expectAccessible(page, ["light"]);
  await expectNoSidewaysScroll(page);
  await deliveries(page).getByRole("cell", { name: "500" }).waitFor();
  expect(await page.locator("bdi", { hasText: "out of order" }).count()).toBe(1);
  await page.getByRole("link", { name: "All webhooks" }).click();
  await page.getByText("Waits for its first answer").waitFor();
  receiver.answerWith("/waits", taking);
  await page.getByRole("link", { name: receiver.url("/waits") }).click();
  await button(page, "Send example…").click();
  await confirm(page, "Send example");
  await got("/waits", 1);
  await page.getByText("the newest, has been sent.").waitFor();
});

test("on a phone, a failed delivery shows the server's response, and failed and missed events can be sent again", {
  tags: "soak",
}, async () => {
  const { shop, open, create } = await openShop("/failing", "phone");
  const at = await create({ types: ["sale.recorded"] });
  await expect.poll(() => receiver.examplesAt("/failing")).toHaveLength(1);
  receiver.answerWith("/failing", (reply) => void reply.writeHead(500).end("out of order"));
  await shop.sell({ transaction_id: "t1" });
  await got("/failing", 1);
  const page = await open(`${at}&status=waiting`);
  await page.getByText("Every delivery has failed since").waitFor();
  await button(page, "sale.recorded").click();
  await dialogOf(page).getByText("out of order").waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page, ["light"]);
  const sent = () => receiver.at("/failing").length;
  const failed = sent();
  receiver.answerWith("/failing", taking);
  await confirm(page, "Send again");
  // On a slow machine, retries arrive during these steps.
  await expect.poll(sent).toBeGreaterThan(failed);
  await page.getByText("the newest, has been sent.").waitFor();

  await button(page, "Disable…").click();
  await confirm(page, "Disable webhook");
  await page.getByText("Nothing is sent until you enable it.").waitFor();
  const before = sent();
  await shop.sell({ transaction_id: "t2" });
  await page.reload();
  await button(page, "Enable…").click();
  await dialogOf(page).getByLabel("Also send what it missed: events").waitFor();
  await confirm(page, "Enable webhook");
  const missed = (await got("/failing", before + 1)).slice(before);
  expect(missed.map(({ data }) => data.object.transaction_id)).toEqual(["t2"]);

  await button(page, "Replay events…").click();
  await page.getByLabel("First number").fill("1");
  await confirm(page, "Replay events");
  await got("/failing", before + 3);
  await expectNoSidewaysScroll(page);
});

test("the event feed shows events by number, newest first, with their bodies and a link to the sale or other object", {
  tags: "soak",
}, async () => {
  const { shop, open, program } = await openShop("/unused");
  await shop.refer("c1");
  await shop.sell({ transaction_id: "t1" });
  const page = await open("events");
  await page.getByRole("link", { name: "Feed" }).click();
  const types = page.locator("tbody .plain-link");
  await expect
    .poll(() => types.allInnerTexts())
    .toEqual(["commission.created", "sale.recorded", "lead.recorded", "partner.created", "partner.created"]);
  await expectAccessible(page, ["light"]);
  await page.getByLabel("From number").fill("3");
  await page.keyboard.press("Enter");
  await expect.poll(() => types.first().innerText()).toBe("lead.recorded");
  await page.getByLabel("Type").selectOption("sale.recorded");
  await expect.poll(() => types.allInnerTexts()).toEqual(["sale.recorded"]);
  await types.click();
  const body = JSON.parse(await dialogOf(page).locator("code").innerText());
  expect(body).toMatchObject({ type: "sale.recorded", data: { object: { transaction_id: "t1" } } });
  await button(page, "Close").click();
  await page.getByRole("link", { name: "t1" }).click();
  await page.getByRole("heading", { level: 1, name: "Sale t1" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app${program}/explain`);
  await settled(page);
});
