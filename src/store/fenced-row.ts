import { desc, eq, max, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { auditEntries } from "./schema/audit.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { customers } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { adjustments, payoutLines, payouts } from "./schema/payouts.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { programKeys, programs } from "./schema/programs.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { param, type Read, type Row, readFirst, type Write, write } from "./statement.ts";

export const writerName = "main";

const numberedTables = {
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
  payouts,
  payoutLines,
  adjustments,
};
export type NumberedTable = keyof typeof numberedTables;

/**
 * More ids than are assigned between a backup and its restore. It grows with time, since one backup may be restored
 * twice: a billion, plus a thousand for each second since 2026.
 */
const idLeap = sql.raw("1000000000 + max(0, unixepoch() - 1767225600) * 1000");

const highestIds = Object.values(numberedTables).map(
  (table) => sql`(select coalesce(max(${table.id}), 0) from ${table})`,
);
/** Above every id in the restored database and every id assigned since the backup. */
const floorOfNewRow = sql`max(${sql.join(highestIds, sql`, `)}) + ${idLeap}`;
const raisedFloor = sql`max(${ledgerWriters.idFloor} + ${idLeap}, excluded.id_floor)`;

/**
 * Makes the caller the writer: every batch of an earlier writer fails from now on. A row older than the caller's last
 * position means that the database was restored: signed click ids may name ids that it lacks, and these must not be
 * assigned again.
 */
const claim = write<{ name: string; knownEpoch: number | null; knownSeq: number | null }>((db) => {
  const known = sql`(${param("knownEpoch")}, ${param("knownSeq")})`;
  const isRestored = sql`(${ledgerWriters.epoch}, ${ledgerWriters.seq}) < ${known}`;
  return db
    .insert(ledgerWriters)
    .values({
      name: sql.placeholder("name"),
      epoch: 1,
      seq: 0,
      idFloor: sql`iif(${param("knownEpoch")} is null, 0, ${floorOfNewRow})`,
    })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: {
        epoch: sql`${ledgerWriters.epoch} + 1`,
        seq: 0,
        idFloor: sql`iif(${isRestored}, ${raisedFloor}, ${ledgerWriters.idFloor})`,
      },
    })
    .returning({ epoch: ledgerWriters.epoch, idFloor: ledgerWriters.idFloor });
});

/**
 * The first statement of every batch: fails the batch unless it is the next one of the newest writer. An update would
 * pass if the row is missing.
 */
const fence = write((db) =>
  db
    .insert(ledgerWriters)
    .values({ name: sql.placeholder("name"), epoch: param("epoch"), seq: param("seq") })
    .onConflictDoUpdate({ target: ledgerWriters.name, set: { epoch: sql`excluded.epoch`, seq: sql`excluded.seq` } }),
);

/** An epoch, and how many batches were written under it. */
export interface WriterPosition {
  readonly epoch: number;
  readonly seq: number;
}

const position = readFirst<{ name: string }, WriterPosition>((db) =>
  db
    .select({ epoch: ledgerWriters.epoch, seq: ledgerWriters.seq })
    .from(ledgerWriters)
    .where(eq(ledgerWriters.name, sql.placeholder("name"))),
);

export const readPosition = (): Read<WriterPosition | undefined> => position({ name: writerName });
export const fenceOf = ({ epoch, seq }: WriterPosition): Write => fence({ name: writerName, epoch, seq });

/**
 * Raises the epoch above any ever used (a count of claims, or milliseconds since 1970 plus claims), and ids above any
 * ever assigned.
 */
const supersede = write((db) =>
  db
    .insert(ledgerWriters)
    .values({ name: sql.placeholder("name"), epoch: sql`unixepoch() * 1000`, seq: 0, idFloor: floorOfNewRow })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: { epoch: sql`max(${ledgerWriters.epoch} + 1, excluded.epoch)`, seq: 0, idFloor: raisedFloor },
    }),
);

/**
 * Makes every Ledger instance drop what it cached of the database, and assign only new ids. Safe at any time, and to
 * repeat.
 */
export async function supersedeWriters(database: Database): Promise<void> {
  await writeWithRetry(database, [supersede({ name: writerName })]);
}

/** Removed drafts are remembered by the audit entries of their steps, whose operations are `payout <id> <step>`. */
const lastPayoutOfAudit = sql`(select coalesce(max(cast(substr(operation_id, 8) as integer)), 0) from ${auditEntries}
  where operation_id >= 'payout ' and operation_id < 'payout!')`;

const lastIds = Object.entries(numberedTables).map(([name, table]) => ({
  name: name as NumberedTable,
  read: readFirst<Record<string, never>, { id: number | null }>((db) => {
    const last = max(table.id);
    const id = table === payouts ? sql<number>`max(coalesce(${last}, 0), ${lastPayoutOfAudit})` : last;
    return db.select({ id }).from(table);
  }),
}));

const lastPosting = readFirst<Record<string, never>, { at: number }>((db) =>
  db.select({ at: ledgerEntries.createdAt }).from(ledgerEntries).orderBy(desc(ledgerEntries.id)).limit(1),
);

/**
 * One batch: the row before the claim, the claim, the last posting, and the last id of each table. `known`: a position
 * that the database must have reached unless it was restored.
 */
export const claimStatements = (known: WriterPosition | undefined): (Write | Read<unknown>)[] => [
  readPosition(),
  claim({ name: writerName, knownEpoch: known?.epoch ?? null, knownSeq: known?.seq ?? null }),
  lastPosting({}),
  ...lastIds.map(({ read }) => read({})),
];

export function decodeClaim(results: readonly (readonly Row[])[]): {
  readonly before: WriterPosition | undefined;
  readonly epoch: number;
  readonly lastIds: Record<NumberedTable, number>;
  readonly lastPosting: number;
} {
  const [before, claimed, posted, ...ids] = results;
  const [epoch, idFloor] = Array.from(claimed?.[0] ?? [], Number);
  const last = {} as Record<NumberedTable, number>;
  lastIds.forEach(({ name, read }, i) => {
    last[name] = Math.max(read({}).decode(ids[i] ?? [])?.id ?? 0, idFloor ?? 0);
  });
  return {
    before: readPosition().decode(before ?? []),
    epoch: epoch ?? Number.NaN,
    lastIds: last,
    lastPosting: lastPosting({}).decode(posted ?? [])?.at ?? 0,
  };
}

/** The highest id assigned in each table, and the last posting (ms; 0: none). */
export interface LastAssigned {
  readonly ids: Readonly<Record<NumberedTable, number>>;
  readonly postingAt: number;
}

const unclaimed = readFirst<{ name: string }, { epoch: number; idFloor: number }>((db) =>
  db
    .select({ epoch: ledgerWriters.epoch, idFloor: ledgerWriters.idFloor })
    .from(ledgerWriters)
    .where(eq(ledgerWriters.name, sql.placeholder("name"))),
);

/** Reads what a claim would return, and leaves the writer as it is. */
export async function readLastAssigned(database: Database): Promise<LastAssigned> {
  const name = writerName;
  const reads = [readPosition(), unclaimed({ name }), lastPosting({}), ...lastIds.map(({ read }) => read({}))];
  const found = decodeClaim(await database.read(reads));
  return { ids: found.lastIds, postingAt: found.lastPosting };
}
