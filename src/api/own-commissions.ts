import type { CommissionRefs } from "#domain/commission-ref.ts";
import type { CommissionId } from "#domain/ids.ts";
import { ok } from "#domain/result.ts";
import { subIdForm } from "#domain/sub-id.ts";
import { underReviewSince } from "#domain/under-review.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { encoded, instantOrNull, record } from "#http/schema/record.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import {
  type CommissionChange,
  type CommissionChanges,
  readCommissionChanges,
} from "#store/reports/commission-changes.ts";
import type { CommissionFilter } from "#store/views/commission-filter.ts";
import { listCommissions } from "#store/views/commission-list.ts";
import type { CommissionView } from "#store/views/commissions.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";
import { readFromDatabase } from "./read-database.ts";

const ownStatuses = ["pending", "approved", "paid", "reversed", "rejected"] as const;

const changeKinds = ["earned", "refunded", "refund_restored", "corrected", "rejected", "moved"] as const;
type ChangeKind = (typeof changeKinds)[number];

const Change = z
  .object({
    kind: z
      .enum(changeKinds)
      .describe(
        "`corrected`: the program corrected the sale. `moved`: the sale was first credited to nobody or to another partner, and later to you.",
      ),
    amountCents: int64(),
    date: z.string().describe("Day of the event."),
  })
  .openapi("CommissionChange");

export const ref = () => z.string().describe("Reference of the commission, to quote in questions about it.");

export const ownCommission = record("OwnCommission", {
  ref: ref(),
  date: z.string().describe("Day of the sale in the program's time zone."),
  status: z
    .enum(ownStatuses)
    .describe("`pending`: on hold. `approved`: to pay, or being paid. `reversed`: the sale was refunded."),
  inPayout: z.boolean().describe("True for an `approved` commission that is being paid."),
  underReview: z
    .boolean()
    .describe("True if the hold period is over and the program still has to confirm the commission."),
  underReviewSince: instantOrNull(),
  corrected: z.boolean().describe("True if the program corrected the sale. The new sale has a commission of its own."),
  amountCents: int64().describe("Remaining amount in the currency's smallest unit."),
  currency: z.string(),
  holdUntil: instantOrNull("Time at which a `pending` commission is approved, unless the program has to confirm it."),
  sub: z.string().nullable().describe("The `aff_sub` of your link."),
  changes: encoded(
    z.array(Change).describe("Entries that add up to the amount, oldest first."),
    (all: readonly OwnChange[]) => [...all],
  ),
  partnerNote: z.string().nullable().describe("The program's note about a rejection or a review."),
});

type OwnChange = z.output<typeof Change>;
type Row = Parameters<typeof ownCommission.reply>[0];

const kindOf = ({ kind, isOfCorrection }: CommissionChange): ChangeKind => {
  switch (kind) {
    case "reversed":
      return isOfCorrection ? "corrected" : "refunded";
    case "restored":
      return "refund_restored";
    case "earned":
    case "rejected":
    case "moved":
      return kind;
    default:
      throw new Error(`an entry of a commission is of the kind ${kind}`);
  }
};

const isOwnStatus = (status: string): status is (typeof ownStatuses)[number] =>
  ownStatuses.some((own) => own === status);

interface Shown extends CommissionChanges, Pick<CommissionRefs, "refOf"> {
  readonly at: number;
}

/** Returns the commissions that aren't void. */
function ownCommissions(found: readonly CommissionView[], { at, changes, notes, refOf }: Shown): readonly Row[] {
  const byCommission = Map.groupBy(changes, ({ commissionId }) => commissionId);
  const noteOf = new Map(notes.map(({ id, partnerNote }) => [id, partnerNote]));
  return found.flatMap(
    ({ id, saleDate, status, inPayout, corrected, reviewSince, amountCents, currency, holdUntil, sub }) => {
      if (!isOwnStatus(status)) return [];
      const own = byCommission.get(id) ?? [];
      const since = underReviewSince({ reviewSince }, at);
      return {
        ref: refOf(id),
        date: saleDate,
        status,
        inPayout,
        corrected,
        amountCents,
        currency,
        holdUntil,
        underReview: since !== null,
        underReviewSince: since,
        sub,
        changes: own.map((each) => ({ kind: kindOf(each), amountCents: each.amountCents, date: each.day })),
        // While the partner doesn't yet see that a pending commission is under review, the note on the review is hidden
        // too.
        partnerNote: status === "pending" && since === null ? null : (noteOf.get(id) ?? null),
      };
    },
  );
}

export const ownColumns: ExportColumns<Row> = {
  ref: (row) => row.ref,
  date: ({ date }) => date,
  status: ({ status }) => status,
  under_review_since: (row) => timestampOrNull(row.underReviewSince),
  amount: ({ amountCents, currency }) => amountCell(amountCents, currency),
  currency: ({ currency }) => currency,
  hold_until: ({ holdUntil }) => timestampOrNull(holdUntil),
  sub: ({ sub }) => sub,
  note: ({ partnerNote }) => partnerNote,
};

const subRule = "sub must be 1 to 64 letters, digits, dots, hyphens or underscores";

export const filterFields = () => ({
  status: fields.oneOf("status", ownStatuses).optional().describe("`reversed` includes those reversed after a payout."),
  sub: z.string(subRule).regex(subIdForm, subRule).optional().describe("Only from links with this `aff_sub`."),
});

export type OwnFilter = Pick<CommissionFilter, "status" | "sub" | "days" | "isInPayout"> &
  Partial<Pick<CommissionFilter, "currency">>;

interface Page {
  readonly before: CommissionId | undefined;
  readonly size: number;
}

/** Reads a page of a partner's own commissions, newest first. */
export async function readOwnCommissions(
  c: Ctx,
  { programId, partnerId }: Pick<OwnPartner, "programId" | "partnerId">,
  filter: OwnFilter,
  { before, size }: Page,
) {
  const { status, ...others } = filter;
  const ofStatus = status === "reversed" ? { status: undefined, isReversed: true } : { status };
  const asked = { currency: undefined, ...others, ...ofStatus, partnerId, reason: undefined, narrowing: {} };
  const after = before === undefined ? undefined : { currency: "", value: 0, id: before };
  const order = { sort: "created", order: "desc", after, limit: size + 1 } as const;
  const book = { programId, isTest: false };
  const found = await readFromDatabase(c, "program", async (database) => {
    const { page, last } = cutPage(await listCommissions(database, book, asked, order), size);
    const ids = page.map(({ id }) => id);
    return { page, next: last?.id, ...(await readCommissionChanges(database, partnerId, ids)) };
  });
  if (!found.ok) return found;
  const { page, next, changes, notes } = found.value;
  const shown = { at: c.get("call").at, changes, notes, ...refsOfProgram(c, programId) };
  return ok({ page: ownCommissions(page, shown), next });
}
