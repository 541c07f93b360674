import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("a member sees on Setup, Partners and Integration which codes on landing pages are unknown", async () => {
  const world = await people.world();
  const inside = `/programs/${world.programId}`;
  const page = await openDashboard(newContext, { user: people.viewer, at: `${inside}/partners` });
  await settled(page);
  const card = page.getByRole("region", { name: "Unknown codes" });
  expect(await card.count()).toBe(0);

  const row = (days: number, code: string, landings: number) => ({
    sql: "insert into unknown_codes values (?, 0, ?, ?, ?)",
    args: [world.programId, dateUtc(daysAgo(days)), code, landings],
  });
  const long = "\u0101".repeat(64);
  await world.write(
    ...[row(2, "ana", 5), row(1, "ana", 7), row(1, long, 1)],
    ...Array.from({ length: 10 }, (_, i) => row(1, `other-${i}x`, 3)),
  );
  for (const path of ["partners", "setup", "settings?section=integration"]) {
    await page.goto(page.url().replace(/\/programs\/.*/, `${inside}/${path}`));
    await card.getByText("12 landings with the unknown code ana").waitFor();
    await card.getByText("and 2 more codes").waitFor();
    expect(await card.getByRole("listitem").count()).toBe(10);
    await expectAccessible(page);
  }
  await world.write({
    sql: "delete from unknown_codes where program_id = ? and code like 'other%'",
    args: [world.programId],
  });
  await page.reload();
  await card.getByText(`1 landing with the unknown code ${long}`).waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
});

test("Setup warns about payments that have no sale, and still shows the command that lists them", async () => {
  const world = await people.world();
  const counts = { matched: 40, missing: 3, unexpected: 1, differs: 0 };
  const range = { from: at(daysAgo(30)), to: at(daysAgo(0)) };
  const body = { processor: "paddle", ...range, ...counts };
  await sharedApi().request("POST", "/api/v1/programs/me/reconciliations", { key: world.key, body });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/setup` });
  const card = page.getByRole("region", { name: "Compare with your payments" });
  await card.getByRole("status").getByText("40 payments matched, 3 missing payments, 1 unexpected sale.").waitFor();
  await card.getByText("npx --no-install tributary-sdk reconcile paddle --since 30d").waitFor();
});

test("Setup shows a tracking tag that honors Global Privacy Control", async () => {
  const world = await people.world();
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/setup` });
  await page.getByText(`data-svc-gpc="minimal" data-svc-program-id="${world.programId}"></script>`).waitFor();
});
