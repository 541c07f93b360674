import { desc, eq, getTableName, max, type SQL, sql } from "drizzle-orm";
import { maxAheadMs, maxBehindMs, type OtherTimes } from "#domain/clock-fault.ts";
import { idsPerRange } from "#domain/shard.ts";
import { type Database, readBatch } from "./database.ts";
import { backupAtAfter } from "./restores.ts";
import { applications } from "./schema/applications.ts";
import { auditEntries } from "./schema/audit.ts";
import { bonuses } from "./schema/bonuses.ts";
import { claims } from "./schema/claims.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { coupons } from "./schema/coupons.ts";
import { customers } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { notes } from "./schema/notes.ts";
import { partnerGroups } from "./schema/partner-groups.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { adjustments, payoutLines, payouts } from "./schema/payouts.ts";
import { programPlaces } from "./schema/places.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { programKeys, programs } from "./schema/programs.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { webhooks } from "./schema/webhooks.ts";
import { highestFloor, readIdentity, type ShardIdentity } from "./shard-identity.ts";
import { given, type Read, type Row, readFirst, unencoded, type Write, write } from "./statement.ts";

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
  partnerGroups,
  coupons,
  bonuses,
  partners,
  referralLinks,
  commissionPolicies,
  auditEntries,
  payouts,
  payoutLines,
  adjustments,
  notes,
  applications,
  claims,
  webhooks,
};
export type NumberedTable = keyof typeof numberedTables;
export const numberedTableNames: readonly string[] = Object.values(numberedTables).map(getTableName);
export type IdOf<Table extends NumberedTable> = (typeof numberedTables)[Table]["$inferSelect"]["id"];

type AnyNumberedTable = (typeof numberedTables)[NumberedTable];

const range = sql.raw(String(idsPerRange));

/**
 * The last id assigned in a table. The home shard assigns the program ids of all shards, and counts them within each
 * shard's range of ids. Each shard assigns all other ids itself.
 */
const highestIdOf = (table: AnyNumberedTable) =>
  table === programs
    ? { last: sql`max(${programPlaces.programId} % ${range})`, from: programPlaces }
    : { last: max(table.id), from: table };

const highestIds = Object.values(numberedTables).map((table) => {
  const { last, from } = highestIdOf(table);
  return sql`(select coalesce(${last}, 0) from ${from})`;
});
export const databaseAt = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

// After a restore, new ids must be above all ids that were assigned since the backup. Those ids aren't known, so new
// ids begin a billion higher, plus ten for each millisecond since the backup. Decision 50 has the reasons.

/**
 * The amount by which ids rise after a restore. At most one id per millisecond since 2026 is added to the billion,
 * which leaves enough ids for a service's whole life.
 */
const leapSince = (backupAt: SQL) =>
  sql`1000000000 + max(0, min(10 * (${databaseAt} - ${backupAt}), ${databaseAt} - 1767225600000))`;

const highestId = sql`max(${sql.join(highestIds, sql`, `)})`;
export const floorOfNewRow = sql`${highestId} + ${leapSince(sql`0`)}`;
/**
 * The new `id_floor`, if the writer's row exists. All ids assigned from now on are higher. If the time of the backup is
 * unknown, the time of the last commit is used instead.
 */
export const raisedFloor = sql`max(${ledgerWriters.idFloor}, ${highestId})
  + ${leapSince(sql`coalesce(excluded.backup_at, ${ledgerWriters.committedAt}, 0)`)}`;
/** The database's time, or 1 ms after the stored value if that is later. */
export const restoredNow = sql`max(${databaseAt}, coalesce(${ledgerWriters.restoredAt}, 0) + 1)`;

/**
 * The newest ledger entry. Entries may be older than the first row of `ledger_writers`, or written by other means than
 * the Ledger.
 */
const newestEntry = sql`(select coalesce(max(${ledgerEntries.id}), 0) from ${ledgerEntries})`;

/**
 * Makes the caller the writer, so that batches of earlier writers fail from now on. If the stored row is older than the
 * caller's last position, the database was restored from a backup. New ids then begin much higher: signed click ids may
 * contain ids that the backup lacks, and these must not be assigned again.
 */
const claim = write<{ name: string; knownEpoch: number | null; knownSeq: number | null }>((db) => {
  const known = sql`(${unencoded("knownEpoch")}, ${unencoded("knownSeq")})`;
  const isRestored = sql`(${ledgerWriters.epoch}, ${ledgerWriters.seq}) < ${known}`;
  return db
    .insert(ledgerWriters)
    .values({
      name: given("name"),
      epoch: 1,
      seq: 0,
      idFloor: sql`iif(${unencoded("knownEpoch")} is null, 0, ${floorOfNewRow})`,
      restoredAt: sql`iif(${unencoded("knownEpoch")} is null, null, ${databaseAt})`,
      restoredEpoch: sql`iif(${unencoded("knownEpoch")} is null, null, 1)`,
      number: newestEntry,
    })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: {
        epoch: sql`${ledgerWriters.epoch} + 1`,
        seq: 0,
        idFloor: sql`iif(${isRestored}, ${raisedFloor}, ${ledgerWriters.idFloor})`,
        restoredAt: sql`iif(${isRestored}, ${restoredNow}, ${ledgerWriters.restoredAt})`,
        restoredEpoch: sql`iif(${isRestored}, ${ledgerWriters.epoch} + 1, ${ledgerWriters.restoredEpoch})`,
        backupAt: sql`iif(${isRestored}, ${backupAtAfter(ledgerWriters.committedAt)}, ${ledgerWriters.backupAt})`,
        number: sql`max(${ledgerWriters.number}, excluded.number)`,
      },
    })
    .returning({ epoch: ledgerWriters.epoch, idFloor: ledgerWriters.idFloor });
});

// No batch has this number, so the fence rejects it.
const refusedSeq = sql.raw("-1");
const isClockWrong = sql`excluded.committed_at > ${databaseAt} + ${sql.raw(String(maxAheadMs))}
  or excluded.committed_at < ${ledgerWriters.committedAt} - ${sql.raw(String(maxBehindMs))}`;

/**
 * The first statement of every batch. It fails the batch unless the batch is the next one of the newest writer, and the
 * writer's clock is plausible. It is an insert, because an update would succeed if the row is missing. `committedAt` is
 * null if the clock is simulated.
 */
const fence = write((db) =>
  db
    .insert(ledgerWriters)
    .values({
      name: given("name"),
      epoch: unencoded("epoch"),
      seq: unencoded("seq"),
      at: unencoded("at"),
      committedAt: unencoded("committedAt"),
      number: unencoded("number"),
    })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: {
        number: sql`max(excluded.number, ${ledgerWriters.number})`,
        epoch: sql`excluded.epoch`,
        seq: sql`iif(${isClockWrong}, ${refusedSeq}, excluded.seq)`,
        at: sql`excluded.at`,
        committedAt: sql`coalesce(excluded.committed_at, ${ledgerWriters.committedAt})`,
      },
    }),
);

/** An epoch, and the number of batches written in it. */
export interface WriterPosition {
  readonly epoch: number;
  readonly seq: number;
}

interface WriterRow extends WriterPosition {
  /** `newestCommitAt` and `databaseAt` are instants (ms). */
  readonly newestCommitAt: number | null;
  readonly databaseAt: number;
}

const position = readFirst<{ name: string }, WriterRow>((db) =>
  db
    .select({
      epoch: ledgerWriters.epoch,
      seq: ledgerWriters.seq,
      newestCommitAt: ledgerWriters.committedAt,
      databaseAt,
    })
    .from(ledgerWriters)
    .where(eq(ledgerWriters.name, given("name"))),
);

export const readPosition = (): Read<WriterRow | undefined> => position({ name: writerName });

/** `number` is the last ledger number that the batch assigns. */
export const fenceOf = (
  { epoch, seq }: WriterPosition,
  batch: { readonly at: number; readonly committedAt: number | null; readonly number: number },
): Write => fence({ name: writerName, epoch, seq, ...batch });

/**
 * The last ledger number. Approvals and transfers without a ledger entry also take numbers from the sequence of entry
 * ids.
 */
const lastNumber = sql`coalesce((select max(${ledgerWriters.number}) from ${ledgerWriters}), 0)`;

const lastIds = Object.entries(numberedTables).map(([name, table]) => ({
  name: name as NumberedTable,
  read: readFirst<Record<string, never>, { id: number | null }>((db) => {
    const { last, from } = highestIdOf(table);
    const id = table === ledgerEntries ? sql<number>`max(coalesce(${last}, 0), ${lastNumber})` : last;
    return db.select({ id: sql<number | null>`${id}` }).from(from);
  }),
}));

const lastPosting = readFirst<Record<string, never>, { at: number }>((db) =>
  db.select({ at: ledgerEntries.createdAt }).from(ledgerEntries).orderBy(desc(ledgerEntries.id)).limit(1),
);

/** Also proves that the database responds. */
export async function readOtherTimes(database: Database): Promise<OtherTimes> {
  const { row, posted } = await readBatch(database, { row: readPosition(), posted: lastPosting({}) });
  return { newestCommitAt: row?.newestCommitAt, newestPostingAt: posted?.at, databaseAt: row?.databaseAt };
}

/**
 * Returns the statements with which a Ledger becomes the writer, for one batch: read the writer's row, claim it, then
 * read the database's identity and its floor of ids, the last posting and the last id of each table. If the database
 * hasn't reached the position `known`, it was restored.
 */
export const claimStatements = (known: WriterPosition | undefined): (Write | Read<unknown>)[] => [
  readPosition(),
  claim({ name: writerName, knownEpoch: known?.epoch ?? null, knownSeq: known?.seq ?? null }),
  readIdentity({}),
  highestFloor({}),
  lastPosting({}),
  ...lastIds.map(({ read }) => read({})),
];

/**
 * Ids up to `floor` may have been assigned. The home shard counts programs within each shard's range of ids, so for
 * programs the remainder of `floor` applies.
 */
export const floorFor = (table: NumberedTable, floor: number): number =>
  table === "programs" ? floor % idsPerRange : floor;

export function decodeClaim(results: readonly (readonly Row[])[]): {
  readonly before: WriterRow | undefined;
  readonly epoch: number;
  readonly identity: ShardIdentity | undefined;
  readonly lastIds: Record<NumberedTable, number>;
  readonly lastPosting: number;
} {
  const [before, claimed, identity, floors, posted, ...ids] = results;
  const [epoch, idFloor] = Array.from(claimed?.[0] ?? [], Number);
  const floor = Math.max(idFloor ?? 0, highestFloor({}).decode(floors ?? [])?.id ?? 0);
  const last = {} as Record<NumberedTable, number>;
  lastIds.forEach(({ name, read }, i) => {
    last[name] = Math.max(read({}).decode(ids[i] ?? [])?.id ?? 0, floorFor(name, floor));
  });
  return {
    before: readPosition().decode(before ?? []),
    epoch: epoch ?? Number.NaN,
    identity: readIdentity({}).decode(identity ?? []),
    lastIds: last,
    lastPosting: lastPosting({}).decode(posted ?? [])?.at ?? 0,
  };
}

/** The highest id assigned in each table, and the instant of the last posting (ms; 0 if there is none). */
export interface LastAssigned {
  readonly ids: Readonly<Record<NumberedTable, number>>;
  readonly postingAt: number;
}

const unclaimed = readFirst<{ name: string }, { epoch: number; idFloor: number }>((db) =>
  db
    .select({ epoch: ledgerWriters.epoch, idFloor: ledgerWriters.idFloor })
    .from(ledgerWriters)
    .where(eq(ledgerWriters.name, given("name"))),
);

/** Reads the same values as a claim, without changing the writer. */
export async function readLastAssigned(database: Database): Promise<LastAssigned> {
  const name = writerName;
  const reads = [
    readPosition(),
    unclaimed({ name }),
    readIdentity({}),
    highestFloor({}),
    lastPosting({}),
    ...lastIds.map(({ read }) => read({})),
  ];
  const found = decodeClaim(await database.read(reads));
  return { ids: found.lastIds, postingAt: found.lastPosting };
}
