import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { type EmbedHost, type HostOptions, openEmbedHost } from "../support/embed-host.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const open = (options: Omit<HostOptions, "owner"> = {}) =>
  openEmbedHost(newContext, { owner: people.owner, ...options });

const expiredIn = async (host: EmbedHost) =>
  (await host.messages()).filter(({ data }) => data.type === "tributary:expired").length;

const endTokens = (host: EmbedHost) => host.put({ origins: [host.origin], endTokens: true });

async function postToken(host: EmbedHost, of?: Parameters<EmbedHost["createToken"]>[0]): Promise<void> {
  const message = { type: "tributary:token", token: await host.createToken(of) };
  await host.page.evaluate((sent) => document.querySelector("iframe")?.contentWindow?.postMessage(sent, "*"), message);
}

test("the embedded referral page replaces a revoked token without a visible error", async () => {
  const host = await open();
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  await endTokens(host);
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  await host.frame.getByRole("textbox", { name: "Your link" }).waitFor();
  expect([host.asked(), await expiredIn(host)]).toEqual([2, 1]);
  await host.frame.getByRole("alert").waitFor({ state: "detached" });
});

test("nothing that a person entered stays on the embedded referral page for the next person in the same frame", async () => {
  const host = await open();
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  // The page before the link has the question too.
  await host.frame.getByRole("textbox", { name: "Your link" }).waitFor();
  await host.frame.getByText("What would I earn?").click();
  await host.frame.getByLabel("Price in EUR").fill("123");
  await postToken(host, { external_id: "user-8" });
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(await host.frame.getByLabel("Price in EUR").isVisible()).toBe(false);
});

test("the embedded referral page asks for a new token once, and shows that the access has ended if the new token is refused too", async () => {
  const host = await open();
  const ended = await host.createToken();
  const later = await host.createToken({ external_id: "user-8" });
  await endTokens(host);
  const tokens = [ended, later];
  host.answer = async () => ({
    status: 200,
    body: { token: tokens.shift() ?? (await host.createToken()), expiresIn: 3_600 },
  });
  await host.open();
  await host.frame.getByText("Your access has ended. Reload the page to continue.").waitFor();
  expect([host.asked(), await expiredIn(host)]).toEqual([2, 1]);
  await host.frame.getByRole("button", { name: "Try again" }).click();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect([host.asked(), await expiredIn(host)]).toEqual([3, 2]);
});

test("the embedded referral page stops waiting for a new token if it gets the refused token again", {
  tags: "soak",
}, async () => {
  const host = await open();
  const ended = await host.createToken();
  await endTokens(host);
  host.answer = async () => ({ status: 200, body: { token: ended, expiresIn: 3_600 } });
  await host.open();
  await host.frame.getByText("Your access has ended.").waitFor();
  expect([host.asked(), await expiredIn(host)]).toEqual([2, 1]);
});

test("the embedded referral page shows an error while the service can't be reached, and loads afterwards", async () => {
  const host = await open();
  await host.context.route("**/api/embed/**", (route) => route.abort());
  await host.open();
  await host.frame.getByText("Can't reach the referral program. Your links keep working.").waitFor();
  await host.context.unroute("**/api/embed/**");
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(await host.frame.getByRole("alert").count()).toBe(0);
});

test("creating a link on the embedded referral page shows an error during an outage, and succeeds afterwards", {
  tags: "soak",
}, async () => {
  const host = await open();
  await host.open();
  const button = host.frame.getByRole("button", { name: "Get your link" });
  await button.waitFor();
  await host.context.route("**/api/embed/links", (route) => route.abort());
  await button.click();
  await host.frame.getByText("Can't reach the referral program. Try again in a moment.").waitFor();
  await host.context.unroute("**/api/embed/links");
  await button.click();
  await host.frame.getByRole("textbox", { name: "Your link" }).waitFor();
});

test("creating a link with an ended token shows that the access has ended, until a new token arrives", async () => {
  const host = await open();
  await host.page.clock.install();
  await host.open("/frame");
  await host.frame.getByText("Loading").waitFor();
  await postToken(host);
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  await endTokens(host);
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  await expect.poll(() => expiredIn(host)).toBe(1);
  await host.page.clock.runFor(16_000);
  await host.frame.getByText("Your access has ended. Reload the page to continue.").waitFor();
  expect(await host.frame.getByRole("alert").count()).toBe(1);
  await postToken(host);
  await host.frame.getByRole("alert").waitFor({ state: "detached" });
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  await host.frame.getByRole("textbox", { name: "Your link" }).waitFor();
});

test("the embed SDK fetches a new token before the current one expires, and retries if the fetch fails", async () => {
  const host = await open({ expected: /^tributary: no token for the referral page/ });
  await host.page.clock.install();
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(host.asked()).toBe(1);
  await host.page.clock.runFor(57 * 60_000);
  expect(host.asked()).toBe(1);
  host.answer = async () => ({ status: 503, body: {} });
  await host.page.clock.runFor(2 * 60_000);
  await expect.poll(host.asked).toBeGreaterThanOrEqual(2);
  host.answer = undefined;
  const failed = host.asked();
  await expect
    .poll(async () => {
      await host.page.clock.runFor(5_000);
      return host.asked();
    })
    .toBe(failed + 1);
  expect(await expiredIn(host)).toBe(0);
});

test("the embedded referral page waits for a token, shows an explanation if none arrives, and loads once a token arrives", async () => {
  const host = await open();
  await host.page.clock.install();
  await host.open("/frame");
  await host.frame.getByText("Loading").waitFor();
  await host.page.clock.runFor(16_000);
  await host.frame.getByText("You aren't signed in here.").waitFor();
  expect(await host.frame.getByRole("button", { name: "Try again" }).count()).toBe(1);
  await postToken(host);
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(await host.frame.getByRole("alert").count()).toBe(0);
});
