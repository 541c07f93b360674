import { and, asc, desc, eq, getTableColumns, gt, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import type { PaymentMethod } from "#domain/payment-details.ts";
import { isDetailsChanged } from "#domain/payout.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { lineMailId } from "../line-mails.ts";
import { textOfNote } from "../notes.ts";
import { accountsInOrder, hasAccounts } from "../partner-access.ts";
import { codeOfPartner } from "../partners.ts";
import {
  type EarlierAccount,
  earlierAccountOf,
  paymentVersionOf,
  type SharingPartner,
  sharingAccountWith,
} from "../payment-details.ts";
import { earlierExternalId, lastPaidAt } from "../payout-lines.ts";
import { type PayoutRow, payoutById } from "../payouts.ts";
import { type ProgramRow, programById } from "../programs.ts";
import { type UnacknowledgedRestore, unacknowledgedRestore } from "../restores.ts";
import { partners } from "../schema/partners.ts";
import { paymentDetails } from "../schema/payment-details.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";

/** The payout's columns and the text of its note. */
const shown = { ...getTableColumns(payouts), note: textOfNote(payouts.noteId) };

const selectListed = (db: Compiler) =>
  db
    .select({
      ...shown,
      returnedCents: sql<number>`iif(${payouts.settledBy} = 'api', ${payouts.returnedCents}, (
        select coalesce(sum(l.amount_cents), 0) from ${payoutLines} l
        where l.payout_id = ${payouts}.id and l.state = 'failed'))`,
    })
    .from(payouts);
export type ListedPayout = RowOf<typeof selectListed>;

const page = readAll<{ programId: ProgramId; before: number; limit: number }, ListedPayout>((db) =>
  selectListed(db)
    .where(and(eq(payouts.programId, given("programId")), lt(payouts.id, given("before"))))
    .orderBy(desc(payouts.id))
    .limit(given("limit")),
);

const selectShown = (db: Compiler) => db.select(shown).from(payouts);

const shownById = readFirst<{ programId: ProgramId; id: PayoutId }, RowOf<typeof selectShown>>((db) =>
  selectShown(db).where(and(eq(payouts.programId, given("programId")), eq(payouts.id, given("id")))),
);

type LinePage = { payoutId: PayoutId; after: number; limit: number };

const isInPage = and(eq(payoutLines.payoutId, given("payoutId")), gt(payoutLines.partnerId, given("after")));

const isDraft = sql`${payouts.status} = 'draft' and ${partners.detailsChangedAt} is not null`;

const lineColumns = { ...getTableColumns(payoutLines), partnerCode: codeOfPartner(payoutLines) };

interface LinePayment {
  readonly method: PaymentMethod;
  readonly last4: string | null;
  /** For a draft, if the partner's account has changed: the method and the last four characters of the previous one. */
  readonly earlier: EarlierAccount | null;
  /** Id of the user or partner account that set the details. */
  readonly setBy: string;
  readonly setAt: number;
}

interface WiseDetails {
  readonly sealId: string;
  readonly ciphertext: string;
}

/**
 * The partner's previous payment details `e`, if they are of another account than the current details `d`. Null
 * otherwise, and unless the payout is a draft.
 */
const earlierAccount = sql`iif(${isDraft}, ${earlierAccountOf("d")}, null)`;

/** For a draft, the partner's current external id. */
const externalId = sql<
  string | null
>`iif(${payouts.status} = 'draft', ${partners.externalId}, ${payoutLines.externalId})`;

const isToSettle = sql`(${payouts.status} = 'draft' or (${payouts.status} = 'final' and ${payouts.settledBy} = 'api'))`;

const selectLines = (db: Compiler) =>
  db
    .select({
      ...lineColumns,
      /** For a draft, the partner's current address. */
      email: sql<string | null>`iif(${payouts.status} = 'draft', ${partners.email}, ${payoutLines.email})`,
      externalId,
      /**
       * The external id in the partner's last line of an earlier payout settled by API, if it isn't `externalId`. Null
       * unless this payout is a draft, or final and settled by API.
       */
      earlierExternalId: sql<{
        readonly externalId: string | null;
      } | null>`iif(${isToSettle}, ${earlierExternalId(externalId)}, null)`.mapWith(
        (json: string) => JSON.parse(json) as { readonly externalId: string | null },
      ),
      hasAddress: sql<boolean>`${partners.email} is not null`.mapWith(Boolean),
      /** Accounts with access to the partner. Empty if the partner has an email address. */
      accounts: sql<readonly string[]>`iif(${partners.email} is null, ${accountsInOrder(partners.id)}, '[]')`.mapWith(
        (json: string) => JSON.parse(json) as string[],
      ),
      /** For a draft, the partner's current payment details. */
      payment: sql<LinePayment | null>`(
        select json_object('method', d.method, 'last4', d.last4, 'setBy', d.set_by, 'setAt', d.created_at, 'earlier', json(${earlierAccount}))
        from ${paymentDetails} d
        where d.id = iif(${payouts.status} = 'draft', ${paymentVersionOf(partners.id)}, ${payoutLines.paymentId}))`.mapWith(
        (json: string) => JSON.parse(json) as LinePayment,
      ),
      /** For a draft, the partner's current payment details if they are paid by Wise. */
      wiseDetails: sql<WiseDetails | null>`(
        select json_object('sealId', d.seal_id, 'ciphertext', d.ciphertext) from ${paymentDetails} d
        where ${payouts.status} = 'draft' and d.id = ${paymentVersionOf(partners.id)} and d.method = 'wise')`.mapWith(
        (json: string) => JSON.parse(json) as WiseDetails,
      ),
      hasAccess: hasAccounts(partners.id),
      isEmbedded: partners.isEmbedded,
      /** Until the payout is paid or canceled, the partners who now share the payment account. Empty otherwise. */
      sharing: sql<
        readonly SharingPartner[]
      >`iif(${payouts.status} in ('draft', 'final'), ${sharingAccountWith}, '[]')`.mapWith(
        (json: string) => JSON.parse(json) as SharingPartner[],
      ),
      failure: textOfNote(payoutLines.failureId),
      partnerNote: textOfNote(payoutLines.partnerNoteId),
      /** `ownDetailsChangedAt` and `lastPaidAt` are current values for a draft. Null otherwise. */
      ownDetailsChangedAt: sql<number | null>`iif(${isDraft}, ${partners.detailsChangedAt}, null)`,
      lastPaidAt: sql<number | null>`iif(${isDraft}, ${lastPaidAt}, null)`,
    })
    .from(payoutLines)
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .innerJoin(partners, eq(partners.id, payoutLines.partnerId));
type LineRow = RowOf<typeof selectLines>;

const allLines = readAll<LinePage, LineRow>((db) =>
  selectLines(db).where(isInPage).orderBy(asc(payoutLines.partnerId)).limit(given("limit")),
);

const selectInFile = (db: Compiler) =>
  db
    .select({
      ...lineColumns,
      paymentMethod: paymentDetails.method,
      sealId: paymentDetails.sealId,
      ciphertext: paymentDetails.ciphertext,
    })
    .from(payoutLines)
    .leftJoin(paymentDetails, eq(paymentDetails.id, payoutLines.paymentId));
export type FileLine = RowOf<typeof selectInFile>;

const linesInFile = readAll<LinePage, FileLine>((db) =>
  selectInFile(db)
    .where(and(isInPage, inArray(payoutLines.state, ["live", "failed"])))
    .orderBy(asc(payoutLines.partnerId))
    .limit(given("limit")),
);

export async function listPayouts(
  database: Database,
  programId: ProgramId,
  before: number,
  limit: number,
): Promise<readonly ListedPayout[]> {
  return await readOne(database, page({ programId, before, limit }));
}

const linesPerRead = 5_000;

/** Reads all pages of a payout's lines after the first one. */
async function withFollowing<Line extends { readonly partnerId: PartnerId }>(
  first: readonly Line[],
  readAfter: (partnerId: number) => Promise<readonly Line[]>,
): Promise<readonly Line[]> {
  const lines = [...first];
  for (let page = first; page.length === linesPerRead; ) {
    page = await readAfter(page.at(-1)?.partnerId ?? 0);
    lines.push(...page);
  }
  return lines;
}

export interface PayoutView {
  readonly payout: RowOf<typeof selectShown>;
  readonly program: ProgramRow | undefined;
  readonly restored: UnacknowledgedRestore | undefined;
  /** Sorted by partner id. */
  readonly lines: readonly LineRow[];
}

/** For a draft, `detailsChangedAt` of each line is the partner's at the instant `at`. */
export async function readPayout(
  database: Database,
  { programId, id, at }: { readonly programId: ProgramId; readonly id: PayoutId; readonly at: number },
): Promise<PayoutView | undefined> {
  const query = { payoutId: id, limit: linesPerRead };
  const first = await readBatch(database, {
    payout: shownById({ programId, id }),
    program: programById({ id: programId }),
    restored: unacknowledgedRestore({ programId, payoutId: id }),
    lines: allLines({ ...query, after: 0 }),
  });
  if (first.payout === undefined) return undefined;
  const lines = await withFollowing(first.lines, (after) => readOne(database, allLines({ ...query, after })));
  const { payout, program, restored } = first;
  return {
    payout,
    program,
    restored,
    lines: payout.status === "draft" ? lines.map((line) => lineOfDraft(line, at)) : lines,
  };
}

const selectStatements = (db: Compiler) =>
  db
    .select({
      partnerId: payoutLines.partnerId,
      partnerCode: lineColumns.partnerCode,
      name: payoutLines.name,
      hasAddress: sql<boolean>`${partners.email} is not null`.mapWith(Boolean),
      mailedAt: payoutLines.statementMailedAt,
      /** True if this operation created the mail. */
      isNew: sql<boolean>`exists (select 1 from mails m where m.id = ${lineMailId(payoutLines.id)})`.mapWith(Boolean),
    })
    .from(payoutLines)
    .innerJoin(partners, eq(partners.id, payoutLines.partnerId));
export type MailedStatement = RowOf<typeof selectStatements>;

const statementsOf = readAll<LinePage & { programId: ProgramId; operationId: string }, MailedStatement>((db) =>
  selectStatements(db)
    .where(
      and(
        isInPage,
        eq(payoutLines.programId, given("programId")),
        eq(payoutLines.state, "live"),
        isNotNull(payoutLines.statementNumber),
      ),
    )
    .orderBy(asc(payoutLines.partnerId))
    .limit(given("limit")),
);

/** Lists the statements of a paid payout's lines, except failed lines. */
export async function listMailedStatements(
  database: Database,
  asked: { readonly programId: ProgramId; readonly payoutId: PayoutId; readonly operationId: string },
): Promise<readonly MailedStatement[]> {
  const readAfter = (after: number) => readOne(database, statementsOf({ ...asked, after, limit: linesPerRead }));
  return await withFollowing(await readAfter(0), readAfter);
}

function lineOfDraft(line: LineRow, at: number): LineRow {
  const detailsChangedAt = line.ownDetailsChangedAt;
  return { ...line, detailsChangedAt: isDetailsChanged({ ...line, detailsChangedAt }, at) ? detailsChangedAt : null };
}

export interface PayoutFile {
  readonly payout: PayoutRow;
  readonly lines: readonly FileLine[];
}

/** Reads a final payout and the lines of its file, sorted by partner id, in one snapshot. */
export async function readFileLines(
  database: Database,
  { programId, id }: { readonly programId: ProgramId; readonly id: PayoutId },
  after: number,
  limit: number,
): Promise<PayoutFile | undefined> {
  const { payout, lines } = await readBatch(database, {
    payout: payoutById({ programId, id }),
    lines: linesInFile({ payoutId: id, after, limit }),
  });
  return payout && { payout, lines };
}
