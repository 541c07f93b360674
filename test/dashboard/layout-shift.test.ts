/** @module-tag soak */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import type { Session } from "../../harness/session.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { seedProgram } from "./seed.ts";
import { openDashboard, pagesOf, settled, type Width } from "./support.ts";

// Reads Chromium's layout-shift entries while a page loads for the first time: https://web.dev/articles/cls

const newContext = isolatedBrowser();
const people = usersOfFile();
const atMost = 0.05;
const atOnce = 2;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

const observe = `
  window.shifts = [];
  const nameOf = (node) => (node instanceof Element ? node.tagName + "." + node.className : node?.nodeName);
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  const told = ({ node, previousRect, currentRect }) =>
    nameOf(node) + " from " + placeOf(previousRect) + " to " + placeOf(currentRect);
  const add = (entries) => {
    for (const { value, sources } of entries) window.shifts.push({ value, moved: sources.map(told) });
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  window.shiftsSoFar = () => {
    add(observer.takeRecords());
    return window.shifts;
  };
`;

/** Delays each response longer than the previous one, so that no part of the page waits for another part. */
async function shiftsOf(at: string, width: Width, user: Session): Promise<readonly Shift[]> {
  const page = await openDashboard(
    async (options) => {
      const context = await newContext(options);
      await context.addInitScript(observe);
      let calls = 0;
      await context.route(/\/api\//, async (route) => {
        calls += 1;
        await delay(40 + 60 * calls);
        await route.continue();
      });
      return context;
    },
    { user, at, width },
  );
  await settled(page);
  const shifts = await page.evaluate<Shift[]>(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(shiftsSoFar()))))",
  );
  await page.context().close();
  return shifts;
}

describe.each(isWhole ? (["phone", "desktop"] as const) : (["phone"] as const))("the dashboard on a %s", (width) => {
  test("the dashboard doesn't shift its pages while they load", async () => {
    const full = await seedProgram(people.members());
    const empty = await people.world();
    const first = await openDashboard(newContext, { user: people.owner, at: `/programs/${empty.programId}` });
    const inEmpty = await pagesOf(first);
    const inFull = inEmpty.map((at) => at.replace(String(empty.programId), String(full.programId)));
    const of = `/programs/${full.programId}`;
    const [sale] = await full.rows("select transaction_id as id from sales where program_id = ?", full.programId);
    const sections = [
      "commission",
      "attribution",
      "keys",
      "members",
      "audit",
      "integration",
      "payouts",
      "webhooks",
      "privacy",
    ];
    const others = [
      ...inEmpty,
      ...sections.map((section) => `${of}/settings?section=${section}`),
      `${of}/commissions?status=void`,
      `${of}/partners/${full.partner.id}`,
      `${of}/partners/${full.partner.id}/statement`,
      `${of}/explain?transactionId=${sale?.id}`,
      `${of}/search?q=INV-`,
      "/account",
      "/workspaces/new",
      "/sign-in",
    ];
    const pages = isWhole ? [...inFull, ...others] : [...inFull, `${of}/settings?section=members`];
    const moved: Record<string, unknown> = {};
    const look = async (at: string) => {
      const shifts = await shiftsOf(at, width, people.owner);
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      if (sum > atMost) moved[at] = { sum, shifts };
    };
    await mapConcurrent(pages, atOnce, look);
    expect(moved).toEqual({});
  }, 180_000);
});
