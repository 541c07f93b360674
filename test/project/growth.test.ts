import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { maxKept } from "#deliver/attempt-log.ts";
import { keptAccountEvents } from "#domain/account-event.ts";
import { caps } from "#domain/caps.ts";
import { maxCodesPerCoupon } from "#domain/coupons.ts";
import { growthPerDay } from "#domain/growth.ts";
import { mostRequests } from "#domain/request-log.ts";
import { maxFormerSecrets, maxOpenRetries } from "#domain/webhooks.ts";
import { root } from "../../scripts/root.ts";

/** Tables to which only the service itself, its operator or a deployment adds rows. */
const ofOperator = [
  ...["id_floors", "id_ranges", "ledger_writers", "program_moves", "shard_identity", "shards", "sign_up_tokens"],
];

const text = readFileSync(join(root, "docs/security.md"), "utf8");
const [, section = ""] = /^## What can grow\n([\s\S]*?)^## /m.exec(text) ?? [];
const rows = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| what"));
const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));

async function tablesOfSchema(): Promise<string[]> {
  const folder = join(root, "src/store/schema");
  const modules = await Promise.all(readdirSync(folder).map((file) => import(join(folder, file))));
  const found = modules.flatMap((module) => Object.values<unknown>(module)).filter((each) => is(each, SQLiteTable));
  return [...new Set(found.map((table) => getTableName(table)))].toSorted();
}

test("docs/security.md lists exactly the tables that tenants or the public can grow", async () => {
  const named = cells.flatMap(([, , tables = ""]) => [...tables.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
  expect([...new Set([...named, ...ofOperator])].toSorted()).toEqual(await tablesOfSchema());
  expect(named.filter((name) => ofOperator.includes(name))).toEqual([]);
});

test("each row of the list of growing tables states how much one write adds, how much a day adds, and what the limit is", () => {
  expect(cells.length).toBeGreaterThan(20);
  for (const [, what, , bytes, day, cap] of cells) {
    expect(
      [what, bytes, day, cap].every((cell) => cell !== undefined && cell !== ""),
      what,
    ).toBe(true);
  }
});

const number = (n: number): string => n.toLocaleString("en");

test.each([
  `${number(caps.partners.max)} partners`,
  `${number(caps.codes.max)} codes of a partner`,
  `${number(caps.groups.max)} groups`,
  `${number(caps.units.max)} units in a program`,
  `${number(caps.bonuses.max)} bonuses at a time`,
  `${number(caps.memberships.max)} changes of a partner's group`,
  `${number(caps.coupons.max)} coupons`,
  `${number(maxCodesPerCoupon)} codes of a coupon`,
  `${number(caps.versions.max)} versions of each owner's policy`,
  `${number(caps.offerVersions.max)} changes of the offer of each program or group`,
  `${number(caps.programs.max)} programs in a workspace`,
  `${number(caps.terms.max)} versions of a program's terms`,
  `${number(caps.openApplications.max)} open applications`,
  `${number(caps.partnerAccounts.max)} accounts of a partner`,
  `${number(caps.keys.max)} live API keys`,
  `${number(caps.webhooks.max)} webhooks`,
  `${number(maxFormerSecrets + 1)} secrets`,
  `${number(maxOpenRetries)} open retries`,
  `${number(caps.refunds.max)} refund calls`,
  `${number(caps.corrections.max)} corrections`,
  `${number(caps.ownedWorkspaces.max)} workspaces`,
  `${number(caps.openInvitations.max)} open invitations`,
  `${number(keptAccountEvents.failed)} failed sign-ins and ${number(keptAccountEvents.others)} other entries`,
  `${number(growthPerDay.ofProgram / 1e6)} MB of values`,
  `${number(growthPerDay.ofAuthor / 1e9)} GB for one user`,
  `${number(mostRequests)} tracking calls`,
  `${number(maxKept.attempts)} attempts`,
  `${number(maxKept.bytes / 1e6)} MB of them`,
])("docs/security.md states the same limit as the code: %s", (words) => {
  expect(section.replaceAll(/\s+/g, " ")).toContain(words);
});
