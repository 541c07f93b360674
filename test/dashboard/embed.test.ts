import { expect, test } from "vitest";
import { isWhole } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { type HostOptions, openEmbedHost } from "../support/embed-host.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectFrameAccessible, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const open = async (options: Omit<HostOptions, "owner"> = {}) => {
  const host = await openEmbedHost(newContext, { owner: people.owner, ...options });
  expectConsistentInTheEnd(host.world);
  return host;
};

const partnersOf = ({ world }: Awaited<ReturnType<typeof open>>) =>
  world.rows(
    "select name, code, external_id from partners join referral_links on partner_id = partners.id where partners.program_id = ? and external_id is not null",
    world.programId,
  );

test("a person creates a referral link with one button, copies it, sees its commission, and reports a missing sale", async () => {
  const host = await open({ settings: { show: { claims: true } } });
  const { frame, page, world } = host;
  const offer = { label: "10% off", details: "New customers only", couponIds: { stripe: "FRIEND10" } };
  await people.owner.put(`/api/programs/${world.programId}/offer`, { offer });
  await host.open();
  await frame.getByText("You earn 20%").waitFor();
  expect(await frame.locator(".card").innerText()).toContain("Your friends get 10% off.");
  expect(await partnersOf(host)).toEqual([]);
  expect(await frame.getByRole("button").count()).toBe(1);
  if (isWhole) await expectFrameAccessible(page, host.inner(), themes);
  await frame.getByRole("button", { name: "Get your link" }).press("Enter");
  const field = frame.getByRole("textbox", { name: "Your link" });
  await field.waitFor();
  const [partner, ...others] = await partnersOf(host);
  expect([partner, others]).toMatchObject([{ name: "Anna", external_id: "user-7" }, []]);
  const link = await field.inputValue();
  expect(link).toContain(`aff=${partner?.code}`);
  await page.setViewportSize({ width: 320, height: 900 });
  const hidden = await field.evaluate((control) => [
    control.scrollWidth - control.clientWidth,
    control.scrollHeight - control.clientHeight,
  ]);
  expect(hidden).toEqual([0, 0]);

  await frame.getByRole("button", { name: "Copy your link" }).click();
  await frame.getByText("Copied.").waitFor();
  await frame.getByRole("button", { name: "Show QR code" }).click();
  await frame.getByRole("img", { name: "QR code of your link" }).waitFor();

  const api = sharedApi();
  const click = await api.click({ affiliate_url: link, program_id: world.programId });
  const lead = { click_id: click.body.click_id, customer_key: "friend" };
  await api.lead(lead, { key: world.key });
  await api.sale(
    { customer_key: "friend", transaction_id: "order-1", amount_cents: 4_900, currency: "EUR" },
    { key: world.key },
  );
  await host.open();
  await frame.getByRole("list", { name: "Your commissions, newest first" }).getByText("€9.80").waitFor();
  await frame.getByText("Last recorded first, with the day of the sale.").waitFor();
  expect(await frame.locator("dl").first().innerText()).toMatch(/Clicks\s+1\s+Sales\s+1\s+Earned\s+€9\.80/);
  await frame.getByText("Payments to you appear here.").waitFor();

  await frame.getByRole("button", { name: "Report a missing sale" }).press("Enter");
  await frame.getByLabel("Day of the sale").fill(at(daysAgo(1)).replace(/T.*/, ""));
  await frame.getByLabel("Amount that the customer paid").fill("x");
  await page.keyboard.press("Enter");
  await frame.getByText("Enter an amount in EUR").waitFor();
  await frame.getByLabel("Amount that the customer paid").fill("19.50");
  await frame.getByLabel("Order number").fill("order-2");
  await frame.getByRole("button", { name: "Report sale" }).click();
  await frame.getByRole("list", { name: "Your sales around that day" }).getByText("€9.80").waitFor();
  const claim = frame.getByRole("list", { name: "Missing sales, newest first" }).getByRole("listitem");
  await claim.getByText("Waiting for the program").waitFor();
  expect(await claim.innerText()).toMatch(/program\s+€19\.50/);
  await expectFrameAccessible(page, host.inner(), themes);
});

test("a person creates another link with a code of their choice, and sees why a different code is refused", async () => {
  const host = await open();
  const { frame, page } = host;
  await host.open();
  await frame.getByRole("button", { name: "Get your link" }).click();
  const add = async (code: string) => {
    await frame.getByRole("textbox", { name: "Your code" }).fill(code);
    await page.keyboard.press("Enter");
  };
  await frame.getByRole("button", { name: "Create a link with your own code" }).click();
  await add(host.world.partner.code);
  await frame.getByText("This code is taken. Choose another one.").waitFor();
  await add("_x");
  await frame.getByText("Use 2 to 64 letters").waitFor();
  await add("anna-blog");
  await expect
    .poll(() => frame.getByRole("textbox", { name: "Link with the code anna-blog" }).inputValue())
    .toContain("aff=anna-blog");
  expect(await frame.getByRole("textbox", { name: "Your code" }).count()).toBe(0);
});

test("the embedded referral page asks for another code if the code that the product chose is taken", {
  tags: "soak",
}, async () => {
  const host = await open();
  host.answer = async () => ({
    status: 200,
    body: {
      token: await host.createToken({ external_id: "user-8", code: host.world.partner.code }),
      expires_in: 3_600,
    },
  });
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  await host.frame.getByText("This code is taken. Choose another one.").waitFor();
  await host.frame.getByRole("textbox", { name: "Your code" }).fill("ben-9");
  await host.frame.getByRole("button", { name: "Create link" }).click();
  await expect.poll(() => host.frame.getByRole("textbox", { name: "Your link" }).inputValue()).toContain("aff=ben-9");
});

test("the embedded referral page of a paused program says that the program is paused, and offers no link", async () => {
  const host = await open({ world: { program: { status: "paused" } } });
  await host.open();
  await host.frame.getByText("The referral program is paused.").waitFor();
  expect(await host.frame.getByRole("button").count()).toBe(0);
});

test("the embedded referral page uses the owner's theme with the product's changes, and shows the lists that the owner chose", async () => {
  const theme = { accent: "#0b7a75", background: "#fff8e7", text: "#222222", radius: 0, font: "serif" };
  const host = await open({ settings: { theme, show: { commissions: false, payouts: false } } });
  const { frame } = host;
  await host.open();
  await frame.getByRole("button", { name: "Get your link" }).click();
  await frame.getByText("Your results").waitFor();
  expect(await frame.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual(["Your link", "Your results"]);
  const styles = `(() => {
    const of = (selector) => getComputedStyle(document.querySelector(selector));
    const { backgroundColor, color, fontFamily, colorScheme } = of("html");
    return [backgroundColor, color, of(".button.primary").backgroundColor, of(".card").borderRadius, fontFamily.split(", ").at(-1), colorScheme];
  })()`;
  const shown = () => frame.locator("html").evaluate<unknown, undefined>(styles as never);
  expect(await shown()).toEqual([
    "rgb(255, 248, 231)",
    "rgb(34, 34, 34)",
    "rgb(11, 122, 117)",
    "0px",
    "serif",
    "light",
  ]);

  host.pages.set(
    "/dark",
    host.pages.get("/")?.replace("fetchToken, ", 'fetchToken, theme: { background: "#10131a", text: "#e6e8ee" },') ??
      "",
  );
  await host.open("/dark");
  await frame.getByText("Your results").waitFor();
  expect(await shown()).toEqual(["rgb(16, 19, 26)", "rgb(230, 232, 238)", "rgb(11, 122, 117)", "0px", "serif", "dark"]);
});

test("the embedded referral page fits a phone of 320 pixels, and its frame is as high as its content", async () => {
  const host = await open({
    browser: { viewport: { width: 320, height: 640 } },
    settings: { show: { claims: true } },
  });
  const { frame, page } = host;
  await host.open();
  await frame.getByRole("button", { name: "Get your link" }).click();
  await frame.getByText("Your results").waitFor();
  const sizes = () =>
    frame.locator("html").evaluate((html) => {
      const wide = [...html.querySelectorAll("*")].filter(
        (each) => each.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(each).position !== "absolute",
      );
      return {
        wide: wide.map(({ outerHTML }) => outerHTML.slice(0, 80)),
        sideways: html.scrollWidth - innerWidth,
        below: html.scrollHeight - innerHeight,
      };
    });
  await expect.poll(sizes).toEqual({ wide: [], sideways: 0, below: 0 });
  await frame.getByRole("button", { name: "Show QR code" }).click();
  await frame.getByRole("img", { name: "QR code of your link" }).waitFor();
  await frame.getByRole("button", { name: "Report a missing sale" }).click();
  await expect.poll(sizes).toEqual({ wide: [], sideways: 0, below: 0 });
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});
