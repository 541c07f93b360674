import type { CommissionRefs } from "#domain/commission-ref.ts";
import { entryKinds } from "#domain/commission-status.ts";
import type { PostingDays } from "#domain/posting-days.ts";
import { underReviewSince } from "#domain/under-review.ts";
import type { Units } from "#domain/units.ts";
import { jsonItems, openJson } from "#http/json-parts.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { StatementEntry as FoundEntry } from "#store/reports/partner-statement.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "./export-file.ts";
import { ref } from "./own-commissions.ts";
import { Issuer } from "./programs.ts";

// Every reader gets the partner's version of a statement. It contains no transaction ids, customers or internal
// reasons.

const cents = int64();

export const StatementEntry = z
  .object({
    day: z.string().describe("Day of the event."),
    postedOn: z.string().describe("Day on which the entry was written. Statements select entries by this day."),
    saleOn: z.string().nullable().describe("Day of the commission's sale."),
    kind: z.enum(entryKinds),
    corrected: z.boolean().describe("True if the program corrected the sale: a `reversed` entry that isn't a refund."),
    amountCents: cents,
    ref: ref().nullable(),
    underReview: z
      .boolean()
      .describe(
        "True if the commission's hold period is over and the program still has to confirm it. Always false in the statement of a payment.",
      ),
    underReviewSince: z.iso.datetime().nullable(),
    payoutReference: z.string().nullable().describe("Reference of the payout that was paid or returned."),
    partnerNote: z
      .string()
      .nullable()
      .describe("The program's note to the partner about a rejection, an adjustment or a returned payment."),
  })
  .openapi("StatementEntry");

export type EntryReply = z.output<typeof StatementEntry>;

const today = "Present only in the statement of a period whose `to` is today or later.";
const ofPerson = "Only for owners and the account that set it. Null for everyone else, or if there is none.";

export const Statement = z.object({
  data: z
    .object({
      number: int32()
        .nullable()
        .describe(
          "For the statement of a payment: number of the payment, counted from 1 for each partner. Null for the statement of a period.",
        ),
      programName: z.string(),
      issuer: Issuer.nullable().describe("Issuer of the program's statements. Null if not set."),
      payoutTerms: z.string().nullable(),
      partnerId: id(),
      partnerCode: z.string().describe("The partner's first `aff` code."),
      name: z.string(),
      address: z.string().nullable().describe(`The partner's address, from the payment details. ${ofPerson}`),
      taxId: z.string().nullable().describe(`The partner's tax ID, from the payment details. ${ofPerson}`),
      currency: z.string(),
      from: z.string(),
      to: z.string(),
      paidOn: z.string().nullable().describe("For the statement of a payment: the day on which the payment was sent."),
      returnedOn: z
        .string()
        .nullable()
        .describe(
          "For the statement of a payment that was returned: the day on which its amount became payable again. The entries and sums don't change.",
        ),
      creditedOn: z
        .string()
        .nullable()
        .describe(
          "For a returned payment whose settlement was reported late: the day on which the partner was credited after all.",
        ),
      changedLater: z
        .object({
          amountCents: cents,
          lastOn: z.string().describe("Day on which the last of these entries was written."),
        })
        .nullable()
        .describe(
          "For the statement of a payment: sum of the entries that were posted after it for the commissions that it paid, such as refunds and corrections. These entries are in later statements, and so are the new commissions of corrected sales. Null if the sum is 0, or the payment was returned.",
        ),
      openingCents: cents.describe("Balance before `from`."),
      entries: z.array(StatementEntry).describe("Entries in the order in which they were posted."),
      earnedCents: cents.describe("Sum of the `earned` and `moved` entries."),
      refundedCents: cents.describe(
        "Sum of the `reversed`, `restored` and `rejected` entries. Negative if more was reversed than restored.",
      ),
      adjustedCents: cents.describe("Sum of the `adjusted` entries."),
      paidCents: cents.describe("Sum of the `paid` and `returned` entries. Negative if more was paid than returned."),
      closingCents: cents.describe("Balance after `to`: `openingCents` plus all entries."),
      pendingCents: cents.optional().describe(`Amount on hold. ${today}`),
      payableCents: cents.optional().describe(`Amount to pay. ${today}`),
      inPayoutCents: cents.optional().describe(`Amount in payouts that are final but not paid. ${today}`),
    })
    .openapi("Statement"),
  meta: z.object({
    timezone: z.string(),
    otherCurrencies: z.array(z.string()).describe("Other currencies in which the partner has entries."),
  }),
});

export type Statement = z.output<typeof Statement>;

/**
 * Encodes entries. Marks those of commissions that are under review at `reviewedAt` (ms). If `reviewedAt` is null,
 * marks none.
 */
export const entryReply =
  ({ refOf }: Pick<CommissionRefs, "refOf">, days: PostingDays, reviewedAt: number | null) =>
  (entry: FoundEntry): EntryReply => {
    const { day, postedAt, saleOn, kind, amountCents, commissionId, payoutReference, partnerNote } = entry;
    const since = reviewedAt === null ? null : underReviewSince(entry, reviewedAt);
    return {
      day,
      postedOn: days.dayOf(postedAt),
      saleOn,
      kind,
      amountCents,
      ref: commissionId === null ? null : refOf(commissionId),
      corrected: entry.isOfCorrection,
      underReview: since !== null,
      underReviewSince: timestampOrNull(since),
      payoutReference,
      partnerNote,
    };
  };

export interface EntryPage {
  readonly entries: readonly EntryReply[];
}

export type StatementHead = Statement & { readonly data: { readonly entries: readonly [] } };

const asNamed = (value: object): object => value;

/** Yields a statement's JSON in parts, because it may be larger than memory. `rename` returns the names of fields. */
export async function* statementJson(
  { data, meta }: StatementHead,
  pages: AsyncIterable<EntryPage>,
  rename = asNamed,
): AsyncGenerator<string, undefined> {
  const { earnedCents, refundedCents, adjustedCents, paidCents, closingCents, ...before } = data;
  const { entries: _, pendingCents, payableCents, inPayoutCents, ...about } = before;
  const sums = { earnedCents, refundedCents, adjustedCents, paidCents, closingCents };
  yield `{"data":${openJson(rename(about))},"entries":[`;
  yield* jsonItems(entriesOf(pages, rename));
  const rest = JSON.stringify(rename({ ...sums, pendingCents, payableCents, inPayoutCents }));
  yield `],${rest.slice(1)},"meta":${JSON.stringify(rename(meta))}}`;
}

async function* entriesOf(
  pages: AsyncIterable<EntryPage>,
  rename: typeof asNamed,
): AsyncGenerator<readonly object[], undefined> {
  for await (const { entries } of pages) yield entries.map(rename);
}

interface Line {
  readonly kind: EntryReply["kind"] | "opening" | "closing";
  readonly postedOn: string;
  readonly balanceCents: number;
  /** Undefined for the opening and the closing balance. */
  readonly entry: EntryReply | undefined;
}

type StatementOwner = Pick<Statement["data"], "number" | "partnerCode" | "name" | "currency">;

const statementColumns = ({ number, partnerCode, name, currency }: StatementOwner): ExportColumns<Line> => ({
  posted_on: ({ postedOn }) => postedOn,
  event_date: ({ entry }) => entry?.day ?? null,
  sale_date: ({ entry }) => entry?.saleOn ?? null,
  kind: ({ kind }) => kind,
  commission: ({ entry }) => entry?.ref ?? null,
  under_review_since: ({ entry }) => entry?.underReviewSince ?? null,
  payout: ({ entry }) => entry?.payoutReference ?? null,
  note: ({ entry }) => entry?.partnerNote ?? null,
  amount: ({ entry }) => (entry === undefined ? null : amountCell(entry.amountCents, currency)),
  balance: ({ balanceCents }) => amountCell(balanceCents, currency),
  currency: () => currency,
  partner: () => name,
  partner_code: () => partnerCode,
  statement: () => number,
});

export const exampleColumns = statementColumns({ number: 3, partnerCode: "anna", name: "Anna", currency: "EUR" });

/**
 * Yields a line for the opening balance, one for each entry, and one for the closing balance. Each has the balance
 * after it.
 */
export async function* statementCsv(
  { data }: StatementHead,
  pages: AsyncIterable<EntryPage>,
  units: Units,
): AsyncGenerator<string, undefined> {
  const columns = statementColumns(data);
  let balanceCents = data.openingCents;
  const noEntry = { entry: undefined };
  yield exportHead(columns);
  yield exportLines(columns, [{ ...noEntry, kind: "opening", postedOn: data.from, balanceCents }], units);
  for await (const { entries } of pages) {
    const lines = entries.map((entry): Line => {
      balanceCents += entry.amountCents;
      return { kind: entry.kind, postedOn: entry.postedOn, balanceCents, entry };
    });
    yield exportLines(columns, lines, units);
  }
  const closing: Line = { ...noEntry, kind: "closing", postedOn: data.to, balanceCents: data.closingCents };
  yield exportLines(columns, [closing], units);
}
