import { and, count, eq, gte, isNotNull, isNull, lt, max, type SQL, sql } from "drizzle-orm";
import { dayMs, hourMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { ReadinessFacts } from "#domain/readiness.ts";
import type { TestChain } from "#domain/verification.ts";
import { type Database, readBatch } from "../database.ts";
import { hasCurrentPolicy } from "../policies.ts";
import { reconciliationOfProgram } from "../reconciliations.ts";
import { isReplacedSale } from "../sales.ts";
import { clicks } from "../schema/clicks.ts";
import { leads } from "../schema/leads.ts";
import { programKeys, programs } from "../schema/programs.ts";
import { recentHours } from "../schema/recent-hours.ts";
import { sales } from "../schema/sales.ts";
import { verificationRuns } from "../schema/verification.ts";
import { type Found, given, readFirst, unencoded } from "../statement.ts";

type ById = { id: ProgramId };
const id = given("id");

const profile = readFirst<ById, { name: string; websiteUrl: string | null; payoutMode: string | null }>((db) =>
  db
    .select({ name: programs.name, websiteUrl: programs.websiteUrl, payoutMode: programs.payoutMode })
    .from(programs)
    .where(eq(programs.id, id)),
);

const counted = (isTest: boolean): SQL | undefined =>
  and(eq(clicks.programId, id), eq(clicks.isTest, isTest), eq(clicks.isBot, false), eq(clicks.isPrefetch, false));

const lastClick = readFirst<ById, { at: number | null }>((db) =>
  db
    .select({ at: max(clicks.occurredAt) })
    .from(clicks)
    .where(counted(false)),
);

const lastScriptTestClick = readFirst<ById & { since: number }, { at: number | null }>((db) =>
  db
    .select({ at: max(clicks.occurredAt) })
    .from(clicks)
    .where(and(counted(true), gte(clicks.occurredAt, given("since")), eq(clicks.source, "browser"))),
);

const lastAttributed = (table: typeof leads | typeof sales) =>
  readFirst<ById, { at: number | null }>((db) =>
    db
      .select({ at: max(table.occurredAt) })
      .from(table)
      .where(and(eq(table.programId, id), eq(table.isTest, false), isNotNull(table.partnerId))),
  );

type Within = ById & { from: number; until: number };

/** Counts the events from `from` to `until`, the next full hour, because `recent_hours` has only whole hours. */
const countedWithin = (table: typeof clicks | typeof leads | typeof sales, condition: SQL | undefined) =>
  readFirst<Within, { n: number }>((db) =>
    db
      .select({ n: count() })
      .from(table)
      .where(
        and(
          eq(table.programId, id),
          eq(table.isTest, false),
          gte(table.occurredAt, given("from")),
          lt(table.occurredAt, given("until")),
          condition,
        ),
      ),
  );

const sinceHour = readFirst<ById & { hour: number }, { clicks: number; leads: number; sales: number }>((db) =>
  db
    .select({
      clicks: sql<number>`coalesce(sum(${recentHours.clicks}), 0)`,
      leads: sql<number>`coalesce(sum(${recentHours.leads}), 0)`,
      sales: sql<number>`coalesce(sum(${recentHours.sales}), 0)`,
    })
    .from(recentHours)
    .where(and(eq(recentHours.programId, id), eq(recentHours.isTest, false), gte(recentHours.hour, given("hour")))),
);

const lastLead = lastAttributed(leads);
const lastSale = lastAttributed(sales);
const clicksWithin = countedWithin(clicks, and(eq(clicks.isBot, false), eq(clicks.isPrefetch, false)));
const leadsWithin = countedWithin(leads, isNotNull(leads.partnerId));
const salesWithin = countedWithin(sales, and(isNotNull(sales.partnerId), sql`not ${isReplacedSale}`));

/**
 * Finds when a key was last rotated. In a series of rotated keys, all but the newest have an end, so the last rotation
 * was when the newest key was created.
 */
const rotated = readFirst<ById, { at: number | null }>((db) =>
  db
    .select({ at: max(programKeys.createdAt) })
    .from(programKeys)
    .where(
      and(
        eq(programKeys.programId, id),
        isNull(programKeys.retiresAt),
        sql`exists (select 1 from ${programKeys} k where k.program_id = ${unencoded("id")} and k.retires_at is not null)`,
      ),
    ),
);

const lastChain = readFirst<ById, TestChain & { attributed: boolean }>((db) =>
  db
    .select({
      click: verificationRuns.click,
      lead: verificationRuns.lead,
      sale: verificationRuns.sale,
      attributed: verificationRuns.isAttributed,
    })
    .from(verificationRuns)
    .where(eq(verificationRuns.programId, id)),
);

const scriptTestSpanMs = 30 * dayMs;

/** Reads only the live book, apart from the test click of the script and the result of the last verification. */
export function readinessReads(programId: ProgramId, at: number) {
  const from = at - dayMs;
  const hour = Math.ceil(from / hourMs);
  const begun = { id: programId, from, until: hour * hourMs };
  return {
    profile: profile({ id: programId }),
    policy: hasCurrentPolicy({ programId }),
    lastClick: lastClick({ id: programId }),
    lastScriptTestClick: lastScriptTestClick({ id: programId, since: at - scriptTestSpanMs }),
    lastLead: lastLead({ id: programId }),
    lastSale: lastSale({ id: programId }),
    hours: sinceHour({ id: programId, hour }),
    clicks: clicksWithin(begun),
    leads: leadsWithin(begun),
    sales: salesWithin(begun),
    rotated: rotated({ id: programId }),
    chain: lastChain({ id: programId }),
    reconciliation: reconciliationOfProgram({ programId }),
  };
}

/** Returns undefined if the program doesn't exist. */
export function readinessFacts(
  found: Found<ReturnType<typeof readinessReads>>,
  programId: ProgramId,
  at: number,
): ReadinessFacts | undefined {
  if (found.profile === undefined) return undefined;
  const lastClickAt = found.lastClick?.at ?? null;
  const lastSaleAt = found.lastSale?.at ?? null;
  return {
    programId,
    ...found.profile,
    hasPolicy: found.policy !== undefined,
    lastRealClickAt: lastClickAt,
    lastScriptTestClickAt: found.lastScriptTestClick?.at ?? null,
    lastClickAt,
    lastLeadAt: found.lastLead?.at ?? null,
    lastSaleAt,
    counts24h: {
      clicks: (found.hours?.clicks ?? 0) + (found.clicks?.n ?? 0),
      leads: (found.hours?.leads ?? 0) + (found.leads?.n ?? 0),
      sales: (found.hours?.sales ?? 0) + (found.sales?.n ?? 0),
    },
    keyRotatedAt: found.rotated?.at ?? null,
    chain: found.chain,
    lastReconciliation: found.reconciliation ?? null,
    hasAttributedSale: lastSaleAt !== null,
    checkedAt: at,
  };
}

/** Returns undefined if the program doesn't exist. Makes one database request. */
export async function readReadinessFacts(
  database: Database,
  programId: ProgramId,
  at: number,
): Promise<ReadinessFacts | undefined> {
  return readinessFacts(await readBatch(database, readinessReads(programId, at)), programId, at);
}
