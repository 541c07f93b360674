import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const partnerCount = 400;
/** More partners than a page makes requests, so that a request per partner would be noticed. */
const active = 8;

async function openLargeProgram() {
  const world = await people.world({
    partners: Array.from({ length: partnerCount }, () => ({ policies: [{ rateBps: 1_000, holdDays: 0 }] })),
  });
  const { refer, sell } = salesFixture(programFixture(world, sharedApi()));
  for (const [i, partner] of world.partners.slice(0, active).entries()) {
    const customer_key = `c${i}`;
    await refer(customer_key, { partner });
    await sell({ transaction_id: `t${i}`, customer_key, amount_cents: 10_000 });
  }
  const payouts = `/api/programs/${world.programId}/payouts`;
  const draft = await people.owner.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  expect(draft.status, draft.text).toBe(201);
  const payoutId = draft.body.data.id;
  expect((await people.owner.post(`${payouts}/${payoutId}/finalize`, {})).status).toBe(200);
  return { world, payoutId };
}

const pagePaths = [
  ...readFileSync(join(root, "dashboard/src/pages.ts"), "utf8").matchAll(/path: "([\w/]+)"|Path = "([\w/]+)"/g),
].map(([, path, named]) => path ?? named);

/** Pages that also read the program's state for their own content. */
const readsState = ["setup", "settings?section=integration"];

/**
 * True for requests that every page makes: for the session, the workspaces, the program, its to-do list, and its
 * readiness.
 */
const isShared = (path: string): boolean => /\/(get-session|workspaces|programs\/\d+|to-do|readiness\/\d+)$/.test(path);

/** A partner's details and the setup guide consist of cards with data from several endpoints. */
function mostRequests(at: string): number {
  if (at.endsWith("?tab=details")) return 7;
  return at === "setup" ? 5 : 4;
}

async function requestsOf(page: Page, at: string): Promise<string[]> {
  const asked: string[] = [];
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname);
  };
  page.on("request", note);
  await page.goto(`/app${at}`);
  await settled(page);
  await page.waitForLoadState("networkidle");
  page.off("request", note);
  return asked;
}

test("each page of the dashboard makes few requests, however many partners the program has", {
  tags: "soak",
}, async () => {
  const { world, payoutId } = await openLargeProgram();
  const { id } = world.partner;
  const sections = [
    "mail",
    "attribution",
    "commission",
    "risk",
    "payouts",
    "integration",
    "keys",
    "webhooks",
    "members",
    "privacy",
    "audit",
  ];
  const addresses: Readonly<Record<string, readonly string[]>> = {
    overview: ["overview", `overview?partnerId=${id}`],
    explore: ["explore"],
    events: ["events", "events/customers", "events/feed", "events/requests", `events?partnerId=${id}`],
    partners: [
      "partners",
      "partners/applications",
      "partners/claims",
      "partners/join",
      ...["", "?tab=events", "?tab=details"].map((tab) => `partners/${id}${tab}`),
    ],
    commissions: ["commissions", `commissions?partnerId=${id}`, "commissions?status=approved"],
    payouts: ["payouts", `payouts/${payoutId}`],
    setup: ["setup"],
    settings: ["settings", ...sections.map((section) => `settings?section=${section}`)],
    "partners/statement": [`partners/${id}/statement`],
    explain: ["explain?transactionId=t0"],
    import: ["import"],
    search: ["search?q=t0", "search?q=31337"],
  };
  expect(Object.keys(addresses).toSorted()).toEqual(pagePaths.toSorted());
  const page = await openDashboard(newContext, { user: people.owner, at: "/account" });
  await settled(page);
  for (const at of Object.values(addresses).flat()) {
    const asked = await requestsOf(page, `/programs/${world.programId}/${at}`);
    const shared = asked.filter(isShared);
    const most = new Set(shared).size + (readsState.includes(at) ? 1 : 0);
    expect(shared.length, `${at}: ${shared.join(" ")}`).toBeLessThanOrEqual(most);
    const own = asked.filter((path) => !isShared(path));
    expect(own.length, `${at}: ${own.join(" ")}`).toBeLessThanOrEqual(mostRequests(at));
  }
});

test("the navigation hides Setup once Overview shows the program as live", { tags: "soak" }, async () => {
  const world = await people.world({
    program: { websiteUrl: "https://shop.example", payoutMode: "manual" },
    partners: [{}, {}],
  });
  const shop = programFixture(world, sharedApi());
  const { click_id } = await shop.visit();
  await shop.lead({ customer_key: "c", click_id });
  await shop.sale({ customer_key: "c" });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}` });
  const setup = page.getByRole("navigation", { name: "Program" }).getByRole("link", { name: "Setup" });
  await settled(page);
  await expect.poll(() => setup.count()).toBe(0);
});

test("the commission settings list the policies of many partners in pages, with the partners' names, and count all of them", {
  tags: "soak",
}, async () => {
  const partners = Array.from({ length: 60 }, (_, i) => ({ name: `Partner No. ${i}`, policies: [{ rateBps: 1_000 }] }));
  const world = await people.world({ partners, policies: [{ rateBps: 2_000 }] });
  const at = `/programs/${world.programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByText("Current: 20% of each sale").waitFor();
  const rows = page.getByRole("table", { name: "Versions" }).getByRole("row");
  expect(await rows.count()).toBe(51);
  await rows.nth(1).getByText("Partner No. 59").waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await rows.nth(10).getByText("Partner No. 0").waitFor();
  expect(await rows.last().innerText()).toContain("All partners");

  await page.getByLabel("Rate").fill("15");
  await page.getByRole("button", { name: "Save commission" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the commission for all partners?" });
  await dialog.getByText("Not affected: 60 partners with a custom commission.").waitFor();
});
