import { type SQL, sql } from "drizzle-orm";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import type { SettlementState } from "#domain/settlement.ts";
import { type Database, readBatch } from "../database.ts";
import { payoutById } from "../payouts.ts";
import { programById } from "../programs.ts";
import { unacknowledgedRestore } from "../restores.ts";
import { payoutLines } from "../schema/payouts.ts";
import { type Compiler, given, type RowOf, readAll } from "../statement.ts";

const selectLines = (db: Compiler) =>
  db
    .select({
      id: payoutLines.id,
      partnerId: payoutLines.partnerId,
      externalId: payoutLines.externalId,
      currency: payoutLines.currency,
      amountCents: payoutLines.amountCents,
      state: payoutLines.state,
      settledAt: payoutLines.settledAt,
      settlementId: payoutLines.settlementId,
      lateSettledAt: payoutLines.lateSettledAt,
      lateSettlementId: payoutLines.lateSettlementId,
    })
    .from(payoutLines);
export type SettledLine = RowOf<typeof selectLines>;

type Page = { payoutId: PayoutId; after: number; limit: number };
type Segment = readonly [state: "live" | "failed", isSettled: 0 | 1];

/**
 * Selects the next lines in one range of the index on states. The number of lines in the payout doesn't affect the
 * cost.
 */
const idsIn = ([state, isSettled]: Segment): SQL => sql`select * from (
  select l.id from payout_lines l where l.payout_id = ${given("payoutId")} and l.state = '${sql.raw(state)}'
    and (l.settled_at is not null) = ${sql.raw(String(isSettled))} and l.id > ${given("after")}
  order by l.id limit ${given("limit")})`;

const pageOf = (...segments: readonly Segment[]) =>
  readAll<Page, SettledLine>((db) =>
    selectLines(db)
      .where(
        sql`${payoutLines.id} in (
          select id from (${sql.join(segments.map(idsIn), sql` union all `)}) order by id limit ${given("limit")})`,
      )
      .orderBy(payoutLines.id),
  );

const open: Segment = ["live", 0];
const settled: Segment = ["live", 1];
const givenBack: readonly Segment[] = [
  ["failed", 0],
  ["failed", 1],
];

const all = pageOf(open, settled, ...givenBack);
const openLines = pageOf(open);
const pages = { waiting: openLines, due: openLines, settled: pageOf(settled), given_back: pageOf(...givenBack) };

interface LinesQuery {
  readonly programId: ProgramId;
  readonly payoutId: PayoutId;
  readonly state: SettlementState | undefined;
  readonly after: number;
  readonly limit: number;
}

/**
 * Returns lines in ascending order of id, and the rows that decide whether open lines are due, in one database request.
 * The open lines of a payout are either all waiting or all due, so both states select all open lines.
 */
export const readSettlementPage = (database: Database, { programId, payoutId, state, after, limit }: LinesQuery) => {
  const lines = state === undefined ? all : pages[state];
  return readBatch(database, {
    program: programById({ id: programId }),
    payout: payoutById({ programId, id: payoutId }),
    restored: unacknowledgedRestore({ programId, payoutId }),
    lines: lines({ payoutId, after, limit }),
  });
};
