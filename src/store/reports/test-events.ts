import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import { byNewest, type EventKind } from "#domain/event-page.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Database } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { clicks } from "../schema/clicks.ts";
import { leads } from "../schema/leads.ts";
import { sales } from "../schema/sales.ts";
import { given, type Read, readFirst } from "../statement.ts";
import { newestOf, type TrackedEvent } from "./events.ts";

export type TestedKind = Exclude<EventKind, "refund">;

/** The counts of each kind of event stop at this number. */
export const maxCounted = 1_000;

type Counted = { programId: ProgramId; since: number };

const countOf = (table: typeof clicks | typeof leads | typeof sales) =>
  readFirst<Counted, { n: number }>((db) => {
    const landed = db
      .select({ id: table.id })
      .from(table)
      .where(
        and(
          eq(table.programId, given("programId")),
          eq(table.isTest, sql`1`),
          gte(table.occurredAt, given("since")),
          notSynthetic(table.partnerId),
        ),
      )
      .limit(maxCounted)
      .as("landed");
    return db.select({ n: sql<number>`count(*)` }).from(landed);
  });

const notSynthetic = (partnerId: Parameters<typeof isSynthetic>[0]): SQL =>
  sql`not coalesce(${isSynthetic(partnerId)}, 0)`;

const countsOf: Readonly<Record<TestedKind, (counted: Counted) => Read<{ n: number } | undefined>>> = {
  click: countOf(clicks),
  lead: countOf(leads),
  sale: countOf(sales),
};

export interface TestEventsQuery {
  readonly programId: ProgramId;
  readonly kinds: readonly TestedKind[];
  readonly since: number;
  readonly limit: number;
}

/** Returns the newest events first, without synthetic ones. Makes one database request. */
export async function readTestEvents(
  database: Database,
  { programId, kinds, since, limit }: TestEventsQuery,
): Promise<{ readonly events: readonly TrackedEvent[]; readonly count: number }> {
  const from = Number.MAX_SAFE_INTEGER;
  const where = { boundAt: from, boundId: from, since, from: "", to: "9999-12-31", partnerId: null };
  const lists = kinds.map((kind) => newestOf[kind]({ programId, isTest: true, ...where, hidesSynthetic: true, limit }));
  const counts = kinds.map((kind) => countsOf[kind]({ programId, since }));
  const results = await database.read([...counts, ...lists]);
  return {
    count: counts.reduce((sum, read, i) => sum + (read.decode(results[i] ?? [])?.n ?? 0), 0),
    events: lists.flatMap((read, i) => read.decode(results[counts.length + i] ?? [])).sort(byNewest),
  };
}
