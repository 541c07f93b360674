import { expect, it } from "vitest";
import { openClient } from "../../scripts/database/client.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { partnerSide } from "../support/partner-side.ts";
import { GrowingBooks } from "./audit-growth.ts";
import { seedBooks } from "./audit-seed.ts";
import { embeddedUser, everyRead, type Read } from "./every-read.ts";

// Uses a database server, because a database file doesn't report how many rows were read.
const own = isolatedService({ runtime: "workerd" });

/**
 * Tables that don't grow with events: those of accounts and shards, tables with few rows per program, and tables with
 * one row per day, partner or hour.
 */
const asBefore = new RegExp(
  `^(${[
    ...["users", "sessions", "accounts", "workspaces", "memberships", "second_factors", "rate_limits", "verifications"],
    ...["programs", "program_places", "program_moves", "program_retention", "verification_runs", "schema_migrations"],
    "reconciliations",
    ...["shards", "shard_identity", "id_ranges", "id_floors", "foreign_codes", "ledger_writers", "account_partners"],
    ...["partners", "partner_accounts", "partner_invitations", "partner_balances", "partner_groups", "partner_terms"],
    ...["referral_links", "program_keys", "webhooks", "webhook_secrets", "coupons", "coupon_codes", "join_pages"],
    ...["offers", "offer_coupons", "bonuses"],
    ...[
      "commission_policies",
      "payment_details",
      "payouts",
      "payout_lines",
      "payout_gaps",
      "live_lines",
      "daily_counts",
      "recent_hours",
    ],
  ].join("|")})$`,
);

/** Reads that scan more rows in a program with more events, with the reason. */
const growing: Readonly<Record<string, RegExp>> = {
  "files, of which a user gets one at a time, in parts that rest":
    /format=(csv|paypal|wise|sepa)|\/(export|statement)\b/,
  "sums of commissions by status, and the best pages of the newest 20,000 events": /\/commissions\/totals|\/overview\b/,
  "figures by group, by code if a partner names none, one read at a time for a program, in steps that rest":
    /\/performance\?(.*&)?group_?[bB]y=|^\/api\/partner\/.*\/performance\b/,
  "all about one customer": /customer_?[kK]ey=/,
  "refunds of one sale, of which it has 1,000 at most": /[?&]transactionId=/,
  "a partner's entries in a currency, to find those of a day": /\/day-entries\b/,
  "a partner's unpaid commissions, and of the entries since the last payout the newest 5,000": /\/balance-parts\b/,
  "the nearest of a day's newest 10,000 sales": /missing-sale/,
  "test clicks after the newest one by the script, of the last day": /\/readiness\b/,
  "filters and orders of a list that no index has":
    /\/commissions\?(.*&)?(currency|date_?[fF]rom|from|flag|reason|sort|status|unconfirmed)=/,
  "commissions of a payout, and of a partner, with their newest notes":
    /\/(payouts\/\{payoutId\}|partners\/\{partnerId\}|embed)\/commissions\b/,
  "hits of a search, of which it has 20 of a kind": /\/search\//,
  "audit entries, of which a page looks through 10,000": /\/audit\b/,
  "sales, of which a page has 500": /\/me\/sales\b/,
  "customers, of which a page looks through 10,000 with their sales": /\/customers\b/,
  "members of groups, counted by an index": /\/groups\b/,
  "what waits for the team, of which 1,000 of a kind are counted": /\/to-do\b/,
  "due bonuses, of which 1,000 are counted": /\/bonuses\b/,
};

/** Limits for a read that isn't listed above. They include the reads of the caller's session and permissions. */
const most = { rows: 1_500, statements: 15 };

/** Limits for the overview of an embedded referral page, which is read often. */
const mostOfEmbed = { rows: 100, requests: 2 };

interface Cost {
  readonly rows: number;
  readonly statements: number;
  /** Length of the response in characters. */
  readonly answered: number;
}

it("no database read exceeds the limits, or scans more rows with ten times the events, except the reads listed with a reason", async () => {
  const { owner, world } = await seedBooks(own);
  await own.service.restart();
  const partner = await own.user();
  await partnerSide(world, partner, world.partner.id);
  const named = { externalId: embeddedUser };
  expect((await owner.patch(`/api/programs/${world.programId}/partners/${world.partner.id}`, named)).status).toBe(200);
  const all = await everyRead({ url: own.service.url, world, owner, partner });
  const reads = all.filter(({ isPlain }) => isPlain || isWhole);
  const books = await GrowingBooks.open(
    own.database.url,
    openClient({ url: own.database.url }),
    (table) => !asBefore.test(table),
  );

  const costOf = async ({ call }: Read): Promise<Cost> => {
    own.proxy.resetCounts();
    const { text } = await call();
    const { rows, statements } = own.proxy.counts;
    return { rows, statements, answered: text.length };
  };
  const measured = async (copies: number): Promise<ReadonlyMap<Read, Cost>> => {
    await own.service.stop();
    await books.fill(() => false, copies);
    await own.service.restart();
    const costs = new Map<Read, Cost>();
    for (const read of reads) costs.set(read, await costOf(read));
    return costs;
  };
  const [few, many] = [await measured(isWhole ? 20 : 8), await measured(isWhole ? 200 : 80)];
  const costsMore = (read: Read, now: Cost | undefined) => {
    const before = few.get(read);
    if (before === undefined || now === undefined) return true;
    const isMore = (figure: keyof Cost, more: number) => now[figure] > 1.5 * before[figure] + more;
    if (now.rows > most.rows || now.statements > most.statements) return true;
    return isMore("rows", 100) || isMore("statements", 0) || isMore("answered", 10_000);
  };
  /** Repeats the read, because maintenance after the start may add its own rows to a few of these calls. */
  const costsMoreEachTime = async (read: Read): Promise<boolean> => {
    for (let i = 0; i < 5; i += 1) if (!costsMore(read, await costOf(read))) return false;
    return true;
  };
  // Gives a partner figures in four currencies on every day.
  await world.write({
    sql: `insert or ignore into daily_counts (program_id, is_test, day, partner_id, currency, clicks)
      select ?, 0, date('now', '-' || d.n || ' days'), ?, c.value, 1
      from (with recursive n(n) as (select 0 union all select n + 1 from n where n < 99) select n from n) d
        cross join json_each('["", "EUR", "USD", "JPY", "GBP"]') c`,
    args: [world.programId, world.partner.id],
  });
  const overviews: { readonly rows: number; readonly requests: number }[] = [];
  for (const read of Array.from({ length: 5 }, () => reads.find(({ name }) => name === "/api/embed/overview"))) {
    if (read === undefined) throw new Error("the referral page has no overview");
    const { rows } = await costOf(read);
    overviews.push({ rows, requests: own.proxy.counts.total });
  }
  expect(Math.min(...overviews.map(({ rows }) => rows))).toBeLessThanOrEqual(mostOfEmbed.rows);
  expect(Math.min(...overviews.map(({ requests }) => requests))).toBeLessThanOrEqual(mostOfEmbed.requests);
  const patterns = Object.values(growing);
  const isListed = ({ name }: Read) => patterns.some((pattern) => pattern.test(name));
  const suspects = reads.filter((each) => costsMore(each, many.get(each)) && (isWhole || !isListed(each)));
  const found: Read[] = [];
  for (const read of suspects) if (await costsMoreEachTime(read)) found.push(read);
  expect(found.filter((each) => !isListed(each)).map(({ name }) => name)).toEqual([]);
  if (isWhole) expect(patterns.filter((pattern) => !found.some(({ name }) => pattern.test(name)))).toEqual([]);
});
