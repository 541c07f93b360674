/** @module-tag soak */
import { afterAll, test as anyTest, beforeAll, describe, expect } from "vitest";
import { testedBrowsers } from "../support/browsers/installed.ts";
import type { RealBrowser } from "../support/browsers/tab.ts";
import { type MerchantServer, openMerchantServer, pageOf } from "../support/merchant-server.ts";

const clicksOf = ({ world }: MerchantServer) =>
  world.rows("select 1 from clicks where program_id = ?", world.programId);

const stored = "[document.cookie, localStorage.length, sessionStorage.length]";
const cookieNames = `document.cookie.split("; ").map((cookie) => cookie.split("=")[0]).toSorted()`;

describe.each(testedBrowsers)("$name", ({ name, isInstalled, open }) => {
  const test = isInstalled ? anyTest : anyTest.skip;
  let browser: RealBrowser;
  beforeAll(async () => {
    if (isInstalled) browser = await open({ theme: "light", blocksThirdParties: false });
  });
  afterAll(() => browser?.close());

  /** Opens the page, and waits until the tracking script has handled it. */
  const visit = async (address: string) => {
    await browser.tab.open(address);
    await browser.tab.run("svc.ready");
  };

  test(`the script records a landing once, and the lead that follows it, in ${name}`, async () => {
    const merchant = await openMerchantServer();
    const shop = "landing.localhost";
    const { tab } = browser;
    await visit(merchant.landing(merchant.world.partner.code, "/", shop));
    const clickId = await tab.run<string>("svc.getClickId()");
    expect(await tab.run(cookieNames)).toEqual(["svc_aff", "svc_click_id", "svc_click_ids", "svc_recent"]);
    await visit(merchant.at("/next", shop));
    await visit(merchant.landing(merchant.world.partner.code, "/", shop));
    await tab.run(`svc.signup("customer-1")`);
    expect(merchant.lines()).toEqual(["POST click", "POST lead"]);
    expect(merchant.calls[1]?.body).toMatchObject({ click_id: clickId, customer_key: "customer-1" });
    expect(await clicksOf(merchant)).toHaveLength(1);

    await tab.run(`history.pushState({}, "", "/?aff=${merchant.world.partners[1]?.code}")`);
    await expect.poll(() => tab.run("svc.getData().partnerCode")).toBe(merchant.world.partners[1]?.code.toLowerCase());
    expect(await clicksOf(merchant)).toHaveLength(2);
  });

  test(`the script stores and sends nothing before consent in ${name}`, async () => {
    const merchant = await openMerchantServer();
    const shop = "consent.localhost";
    const { tab } = browser;
    for (const path of ["/", "/next"]) {
      merchant.pages.set(path, pageOf(merchant.tag('data-svc-consent="required"')));
    }
    await visit(merchant.landing(merchant.world.partner.code, "/", shop));
    expect([merchant.lines(), await tab.run(stored)]).toEqual([[], ["", 0, 0]]);
    await tab.run("(svc.consent(true), svc.trackClick())");
    expect(merchant.lines()).toEqual(["POST click"]);
    await tab.run("svc.consent(false)");
    expect(await tab.run(stored)).toEqual(["svc_consent=0", 0, 0]);
  });

  test(`a landing that the visitor leaves at once, or that can't be sent, is recorded once in ${name}`, async () => {
    const merchant = await openMerchantServer();
    const shop = "leaving.localhost";
    const { tab } = browser;
    merchant.pages.set("/", pageOf(merchant.tag(`onload="location = '/next'"`)));
    await tab.open(merchant.landing(merchant.world.partner.code, "/", shop));
    await expect.poll(() => tab.run("location.pathname")).toBe("/next");
    await expect.poll(() => tab.run("!!svc.getClickId()")).toBe(true);
    expect(await clicksOf(merchant)).toHaveLength(1);

    merchant.fault = "cut";
    merchant.pages.delete("/");
    await visit(merchant.landing(merchant.world.partners[1]?.code, "/", shop));
    merchant.fault = undefined;
    await visit(merchant.at("/next", shop));
    await expect.poll(() => tab.run("svc.getData().partnerCode")).toBe(merchant.world.partners[1]?.code.toLowerCase());
    expect(await clicksOf(merchant)).toHaveLength(2);
  });
});
