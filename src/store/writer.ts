import { desc, eq, max, sql } from "drizzle-orm";
import { writeBeside } from "./beside.ts";
import type { Database } from "./database.ts";
import {
  auditEntries,
  clicks,
  commissionPolicies,
  commissions,
  customers,
  leads,
  ledgerEntries,
  ledgerWriters,
  partners,
  programKeys,
  programs,
  referralLinks,
  refunds,
  sales,
} from "./schema.ts";
import { param, type Read, type Row, readFirst, type Write, write } from "./statement.ts";

/** The one row that says who writes. */
export const writerName = "main";

/** Makes the caller the writer: every batch of an earlier one fails from now on. */
const claim = write((db) =>
  db
    .insert(ledgerWriters)
    .values({ name: sql.placeholder("name"), epoch: 1, seq: 0 })
    .onConflictDoUpdate({ target: ledgerWriters.name, set: { epoch: sql`${ledgerWriters.epoch} + 1`, seq: 0 } })
    .returning({ epoch: ledgerWriters.epoch }),
);

/**
 * The first statement of every batch: fails it whole unless it is the next one of the newest writer. An update would
 * pass where the row is missing.
 */
const fence = write((db) =>
  db
    .insert(ledgerWriters)
    .values({ name: sql.placeholder("name"), epoch: param("epoch"), seq: param("seq") })
    .onConflictDoUpdate({ target: ledgerWriters.name, set: { epoch: sql`excluded.epoch`, seq: sql`excluded.seq` } }),
);

/** The writer's row: an epoch, and how many batches were written under it. */
export interface Place {
  readonly epoch: number;
  readonly seq: number;
}

const place = readFirst<{ name: string }, Place>((db) =>
  db
    .select({ epoch: ledgerWriters.epoch, seq: ledgerWriters.seq })
    .from(ledgerWriters)
    .where(eq(ledgerWriters.name, sql.placeholder("name"))),
);

export const readPlace = (): Read<Place | undefined> => place({ name: writerName });
export const fenceOf = ({ epoch, seq }: Place): Write => fence({ name: writerName, epoch, seq });

/** Raises the epoch above any that was ever used: those count claims, or the milliseconds since 1970 and claims. */
const outdate = write((db) =>
  db
    .insert(ledgerWriters)
    .values({ name: sql.placeholder("name"), epoch: sql`unixepoch() * 1000`, seq: 0 })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: { epoch: sql`max(${ledgerWriters.epoch} + 1, excluded.epoch)`, seq: 0 },
    }),
);

/** Makes every instance of the Ledger forget what it holds of the database. It may run at any time, and more than once. */
export async function outdateWriters(database: Database): Promise<void> {
  await writeBeside(database, [outdate({ name: writerName })]);
}

const numbered = {
  clicks,
  customers,
  leads,
  sales,
  refunds,
  commissions,
  ledgerEntries,
  programs,
  programKeys,
  partners,
  referralLinks,
  commissionPolicies,
  auditEntries,
};
/** The tables whose ids the writer gives out. */
export type Numbered = keyof typeof numbered;

const lastIds = Object.entries(numbered).map(([name, table]) => ({
  name: name as Numbered,
  read: readFirst<Record<string, never>, { id: number | null }>((db) => db.select({ id: max(table.id) }).from(table)),
}));

const lastPosting = readFirst<Record<string, never>, { at: number }>((db) =>
  db.select({ at: ledgerEntries.createdAt }).from(ledgerEntries).orderBy(desc(ledgerEntries.id)).limit(1),
);

/**
 * One batch: the claim, what the row was before it, and what this writer found of each table: the last id, and of
 * entries their last posting.
 */
export const claimStatements = (): (Write | Read<unknown>)[] => [
  readPlace(),
  claim({ name: writerName }),
  lastPosting({}),
  ...lastIds.map(({ read }) => read({})),
];

export function decodeClaim(results: readonly (readonly Row[])[]): {
  /** Undefined: there was no row. */
  readonly before: Place | undefined;
  readonly epoch: number;
  readonly lastIds: Record<Numbered, number>;
  /** Milliseconds. */
  readonly lastPosting: number;
} {
  const [before, claimed, posted, ...ids] = results;
  const last = {} as Record<Numbered, number>;
  lastIds.forEach(({ name, read }, i) => {
    last[name] = read({}).decode(ids[i] ?? [])?.id ?? 0;
  });
  return {
    before: readPlace().decode(before ?? []),
    epoch: Number(claimed?.[0]?.[0]),
    lastIds: last,
    lastPosting: lastPosting({}).decode(posted ?? [])?.at ?? 0,
  };
}
