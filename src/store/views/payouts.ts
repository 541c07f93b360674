import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, sql } from "drizzle-orm";
import { isEmailChanged } from "../../domain/payout.ts";
import { type Database, readBatch } from "../database.ts";
import { type LineRow, paidEmailAt } from "../payout-lines.ts";
import { type PayoutRow, payoutById } from "../payouts.ts";
import { partners } from "../schema/partners.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { readAll } from "../statement.ts";

const given = sql.placeholder;

interface ListedPayout extends PayoutRow {
  readonly returnedCents: number;
}

const page = readAll<{ programId: number; before: number; limit: number }, ListedPayout>((db) =>
  db
    .select({
      ...getTableColumns(payouts),
      returnedCents: sql<number>`(select coalesce(sum(l.amount_cents), 0) from ${payoutLines} l
        where l.payout_id = ${payouts}.id and l.state = 'failed')`,
    })
    .from(payouts)
    .where(and(eq(payouts.programId, given("programId")), lt(payouts.id, given("before"))))
    .orderBy(desc(payouts.id))
    .limit(given("limit")),
);

const freeing = readAll<{ programId: number }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(and(eq(payouts.phase, "freeing"), eq(payouts.programId, given("programId")))),
);

type LinePage = { payoutId: number; after: number; limit: number };

const isInPage = and(eq(payoutLines.payoutId, given("payoutId")), gt(payoutLines.partnerId, given("after")));

const isDraft = sql`${payouts.status} = 'draft' and ${partners.emailChangedAt} is not null`;

interface LineWithPartner extends LineRow {
  /** As they are now. Null unless the payout is a draft. */
  readonly ownEmailChangedAt: number | null;
  readonly paidEmailAt: number | null;
}

const allLines = readAll<LinePage, LineWithPartner>((db) =>
  db
    .select({
      ...getTableColumns(payoutLines),
      ownEmailChangedAt: sql<number | null>`iif(${isDraft}, ${partners.emailChangedAt}, null)`,
      paidEmailAt: sql<number | null>`iif(${isDraft}, ${paidEmailAt}, null)`,
    })
    .from(payoutLines)
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .innerJoin(partners, eq(partners.id, payoutLines.partnerId))
    .where(isInPage)
    .orderBy(asc(payoutLines.partnerId))
    .limit(given("limit")),
);

const linesInFile = readAll<LinePage, LineRow>((db) =>
  db
    .select()
    .from(payoutLines)
    .where(and(isInPage, inArray(payoutLines.state, ["live", "failed"])))
    .orderBy(asc(payoutLines.partnerId))
    .limit(given("limit")),
);

export async function listPayouts(
  database: Database,
  programId: number,
  before: number,
  limit: number,
): Promise<readonly ListedPayout[]> {
  return (await readBatch(database, { found: page({ programId, before, limit }) })).found;
}

/** Payouts whose entries have yet to be freed. */
export async function listFreeing(database: Database, programId: number): Promise<readonly PayoutRow[]> {
  return (await readBatch(database, { found: freeing({ programId }) })).found;
}

const linesPerRead = 5_000;

export interface PayoutView {
  readonly payout: PayoutRow;
  /** By partner id. */
  readonly lines: readonly LineRow[];
}

/** Of a draft, `emailChangedAt` of each line is the partner's at the instant `at`. */
export async function readPayout(
  database: Database,
  { programId, id, at }: { readonly programId: number; readonly id: number; readonly at: number },
): Promise<PayoutView | undefined> {
  const query = { payoutId: id, limit: linesPerRead };
  const first = await readBatch(database, {
    payout: payoutById({ programId, id }),
    lines: allLines({ ...query, after: 0 }),
  });
  if (first.payout === undefined) return undefined;
  const lines = [...first.lines];
  for (let read = first.lines; read.length === linesPerRead; ) {
    const after = read.at(-1)?.partnerId ?? 0;
    read = (await readBatch(database, { lines: allLines({ ...query, after }) })).lines;
    lines.push(...read);
  }
  const { payout } = first;
  return { payout, lines: payout.status === "draft" ? lines.map((line) => lineOfDraft(line, at)) : lines };
}

function lineOfDraft({ ownEmailChangedAt, ...line }: LineWithPartner, at: number): LineRow {
  const emailChangedAt = ownEmailChangedAt;
  return { ...line, emailChangedAt: isEmailChanged({ ...line, emailChangedAt }, at) ? emailChangedAt : null };
}

/** Lines of a final payout's file, by partner id, and the payout at the same instant. */
export async function readFileLines(
  database: Database,
  { programId, id }: { readonly programId: number; readonly id: number },
  after: number,
  limit: number,
): Promise<PayoutView | undefined> {
  const { payout, lines } = await readBatch(database, {
    payout: payoutById({ programId, id }),
    lines: linesInFile({ payoutId: id, after, limit }),
  });
  return payout && { payout, lines };
}
