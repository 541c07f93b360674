import type { PayoutId, ProgramId } from "#domain/ids.ts";
import { type PaymentDetails, type PaymentMethod, paymentMethods } from "#domain/payment-details.ts";
import { type ChangeReason, lineChange } from "#domain/payout.ts";
import { payoutStatuses, settlers, skipReasons } from "#domain/payout-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { settlementState, settlementStates, shownSums, whyWaiting } from "#domain/settlement.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { encoded, from, instant, instantOrNull, record } from "#http/schema/record.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { CancelPayoutCall } from "#operations/payouts/cancel-payout.ts";
import type { ConfirmPayoutCall } from "#operations/payouts/confirm-payout.ts";
import type { FailLineCall } from "#operations/payouts/fail-line.ts";
import type { FinalizePayoutCall } from "#operations/payouts/finalize-payout.ts";
import type { PayoutRow } from "#store/payouts.ts";
import { type FileLine, type ListedPayout, type PayoutView, readFileLines, readPayout } from "#store/views/payouts.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";
import { paidTo, readShownDetails, type ShownDetails } from "./paid-to.ts";
import { partnerFlags } from "./partners.ts";
import { openDetails } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";

const changeReasons = [...skipReasons, "added", "amount_changed"] as const satisfies readonly ChangeReason[];

const userOrNull = (description: string) => z.string().nullable().describe(description);

export const payoutRecord = record("Payout", {
  id: id(),
  reference: z.string(),
  status: z.enum(payoutStatuses),
  currency: z.string(),
  until: instant("Commissions and bonuses that became payable up to this time are included."),
  minimumCents: int64().describe("Smallest amount for which a partner gets a line."),
  partnerIds: encoded(
    z.array(id()).nullable().describe("Ids of the partners that the payout is limited to. Null means all partners."),
    (ids: string | null) => (ids === null ? null : (JSON.parse(ids) as number[])),
  ),
  totalCents: int64().describe("Sum of the lines."),
  lineCount: int32(),
  returnedCents: int64().describe("Sum of the lines whose payment was returned. `totalCents` includes it."),
  settledBy: z
    .enum(settlers)
    .describe("`person`: a member pays all lines at once. `api`: your own system settles each line."),
  settledCents: int64().describe("Sum of the paid lines."),
  givenBackCents: int64().describe("Sum of the lines that failed, were given back or canceled."),
  dueCents: int64().describe(
    "Sum of the lines that aren't paid yet. `settledCents`, `givenBackCents` and `dueCents` add up to `totalCents`.",
  ),
  paidAt: instantOrNull(
    "Time of the payment. If the payout is settled by API: the time at which the settlement or failure of its last line was reported.",
  ),
  note: z.string().nullable(),
  createdAt: instant(),
  createdBy: z.string().describe("Id of the user who created the payout."),
  finalizedAt: instantOrNull(),
  finalizedBy: userOrNull("Id of the user who finalized the payout."),
  confirmedAt: instantOrNull(),
  confirmedBy: userOrNull("Id of the user who confirmed the payout."),
  canceledAt: instantOrNull(),
  canceledBy: userOrNull(
    "Id of the user who canceled the payout, or `key <id>` if an API key gave back its last line and no line was settled.",
  ),
});

/** Adds the sums of the payout's lines by state. `returnedCents` is the sum of the lines whose payment was returned. */
export const withSums = <P extends Parameters<typeof shownSums>[0]>(payout: P) => ({ ...payout, ...shownSums(payout) });

export const payoutColumns: ExportColumns<ListedPayout> = {
  reference: ({ reference }) => reference,
  status: ({ status }) => status,
  partners: ({ lineCount }) => lineCount,
  amount: ({ totalCents, currency }) => amountCell(totalCents, currency),
  returned: ({ returnedCents, currency }) => amountCell(returnedCents, currency),
  settled_by: ({ settledBy }) => settledBy,
  due: (payout) => amountCell(shownSums(payout).dueCents, payout.currency),
  currency: ({ currency }) => currency,
  created_at: ({ createdAt }) => timestamp(createdAt),
  finalized_at: ({ finalizedAt }) => timestampOrNull(finalizedAt),
  paid_at: ({ paidAt }) => timestampOrNull(paidAt),
  canceled_at: ({ canceledAt }) => timestampOrNull(canceledAt),
  note: ({ note }) => note,
  payout_id: ({ id }) => id,
};

const partnerOfLine = {
  partnerId: id(),
  partnerCode: z.string().describe("The partner's `aff` code."),
  name: z.string(),
};

const lineRecord = record("PayoutLine", {
  ...partnerOfLine,
  externalId: z
    .string()
    .nullable()
    .describe("Your own id for the partner, as it was when the payout was finalized; for a draft, the current one."),
  earlierExternalId: z
    .object({ externalId: z.string().nullable() })
    .nullable()
    .describe(
      "Until the payout is paid or canceled: the partner's id in their last payout that was settled by API, if `externalId` differs from it.",
    ),
  email: z
    .string()
    .nullable()
    .optional()
    .describe("Email address when the payout was finalized; for a draft, the current one. Hidden from viewers."),
  paymentMethod: z
    .enum(paymentMethods)
    .nullable()
    .optional()
    .describe(
      "Payment method. Null if the partner is paid by the email address. Hidden from viewers. For a draft, the current method.",
    ),
  paymentAccount: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Last characters of the account, or a masked email address, as in the partner's payment details. Hidden from viewers. For a draft, those of the current details.",
    ),
  earlierAccount: z
    .object({ method: z.enum(paymentMethods), last4: z.string() })
    .nullable()
    .optional()
    .describe("For a draft: the previous account, if the details were replaced. Hidden from viewers."),
  paymentSetBy: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Email address of the account that set these details. Null if the account was deleted, or if there are no details. Hidden from viewers.",
    ),
  paymentSetAt: z.iso.datetime().nullable().optional().describe("Hidden from viewers."),
  flags: partnerFlags
    .optional()
    .describe(
      "Until the payout is paid or canceled: `shared_account` if another partner is paid to the same account or email address. Hidden from viewers.",
    ),
  isMailable: z
    .boolean()
    .optional()
    .describe(
      "True if the partner has an email address, or an account with access to the partner has a verified address. Hidden from viewers.",
    ),
  isMailedWhenPaid: z
    .boolean()
    .optional()
    .describe(
      "True if `isMailable`, unless the partner joined on your embedded referral page and no account has access: such partners get no mail about the payment. Hidden from viewers.",
    ),
  isNameRefused: z
    .boolean()
    .optional()
    .describe("For a draft: true if Wise would refuse the name of the account's holder. Hidden from viewers."),
  hasAccess: z.boolean().describe("True if an account has access to the partner's pages."),
  amountCents: int64(),
  commissions: int64().describe("Number of commissions in the line."),
  commissionsCents: int64().describe("Sum of these commissions when the line was computed."),
  adjustmentsCents: int64().describe("Bonuses and write-offs since the last payout."),
  broughtForwardCents: int64().describe(
    "The rest of the amount: debts from refunds of paid commissions, and returned payments.",
  ),
  detailsChangedAt: instantOrNull(
    "Time at which the partner's email address or payment details were replaced. Null unless that was within 7 days, or since the partner was last paid.",
  ),
  statementNumber: int32()
    .nullable()
    .describe("Number of the partner's statement of this payment. Null until it is paid."),
  statementMailedAt: instantOrNull("Time at which the statement was mailed to the partner."),
  settlement: z
    .enum(settlementStates)
    .nullable()
    .describe("State of a line that is settled by API. Null for a draft, and for a payout that a person pays."),
  settlementId: z.string().nullable().describe("Your own id for the settlement."),
  settledAt: instantOrNull(),
  isLate: z
    .boolean()
    .describe(
      "True if the line was reported as settled after it had failed. An adjustment deducts its amount from the partner's balance.",
    ),
  failedAt: instantOrNull(),
  failureReason: from(
    "failure",
    z.string().nullable().describe("Reason why the payment failed, visible only to your team."),
  ),
  partnerNote: z.string().nullable().describe("Note about the failed payment on the partner's statement."),
});

type PaidLine = FileLine & { readonly details: PaymentDetails | undefined };

const detailsColumns: ExportColumns<PaidLine> = {
  method: ({ paymentMethod }) => paymentMethod,
  account: ({ details }) => details?.account ?? null,
  holder: ({ details }) => details?.holder ?? null,
  country: ({ details }) => details?.country ?? null,
  tax_id: ({ details }) => details?.taxId ?? null,
};

/** Columns of a payout's payment list. Only an owner's list has payment details. */
export const lineColumns = (reference: string, hasDetails: boolean): ExportColumns<PaidLine> => ({
  reference: () => reference,
  partner_id: ({ partnerId }) => partnerId,
  partner_code: ({ partnerCode }) => partnerCode,
  partner: ({ name }) => name,
  email: ({ email }) => email,
  amount: ({ amountCents, currency }) => amountCell(amountCents, currency),
  currency: ({ currency }) => currency,
  ...(hasDetails && detailsColumns),
});

const skippedRecord = record("SkippedPayoutLine", {
  ...partnerOfLine,
  amountCents: int64(),
  reason: z.enum(skipReasons),
  detailsChangedAt: instantOrNull(),
});

const PayoutChange = z
  .object({ ...partnerOfLine, beforeCents: int64(), afterCents: int64(), reason: z.enum(changeReasons) })
  .openapi("PayoutChange");

export const PayoutWithLines = payoutRecord.schema
  .extend({
    lines: z.array(lineRecord.schema),
    skipped: z.array(skippedRecord.schema).describe("Partners who were left out, and the reasons."),
    changes: z
      .array(PayoutChange)
      .describe("Differences between the draft and the lines computed when it was last finalized."),
  })
  .openapi("PayoutWithLines");

/** `shown` is undefined if the caller may see neither addresses nor payment details. */
function payoutWithLines(
  { payout, program, restored, lines }: PayoutView,
  shown: ShownDetails | undefined,
): z.output<typeof PayoutWithLines> {
  const isByApi = payout.settledBy === "api";
  const returned = lines.filter(({ state, settledAt }) => state === "failed" && (!isByApi || settledAt !== null));
  const returnedCents = returned.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const isWaiting = whyWaiting(payout, program?.payoutApproval ?? "one_person", restored) !== undefined;
  const isSettledOneByOne = isByApi && payout.finalizedAt !== null;
  return {
    ...payoutRecord.reply(withSums({ ...payout, returnedCents })),
    lines: lines
      .filter(({ reason }) => reason === null)
      .map((line) =>
        lineRecord.reply({
          ...line,
          ...paidTo(line, shown),
          settlement: isSettledOneByOne ? settlementState(line, isWaiting) : null,
          settlementId: line.lateSettlementId ?? line.settlementId,
          settledAt: line.lateSettledAt ?? line.settledAt,
          isLate: line.lateSettlementId !== null,
          broughtForwardCents: line.amountCents - line.commissionsCents - line.adjustmentsCents,
        }),
      ),
    skipped: lines.flatMap(({ reason, ...line }) =>
      reason === null ? [] : [skippedRecord.reply({ ...line, reason })],
    ),
    changes: lines.flatMap((line) => lineChange(line) ?? []),
  };
}

export const noPayout = notFound("payout");

/** Number of lines that one database read returns. */
const pageSize = 500;

export interface LinesQuery {
  readonly programId: ProgramId;
  readonly id: PayoutId;
  /** Payment method whose lines are read with payment details, or all lines, or none. */
  readonly details: PaymentMethod | "all" | "none";
}

export interface LinesPage {
  readonly payout: PayoutRow;
  readonly page: readonly PaidLine[];
  readonly next: number | undefined;
}

/**
 * Reads a page of the lines of a final or paid payout. Their amounts never change. If the payout is canceled meanwhile,
 * the read is refused, and the download ends.
 */
export async function readLines(c: Ctx, query: LinesQuery, after: number): Promise<Result<LinesPage>> {
  const read = await readFromDatabase(c, "program", (database) => readFileLines(database, query, after, pageSize + 1));
  if (!read.ok) return read;
  if (read.value === undefined) return refused(noPayout);
  const { payout, lines } = read.value;
  if (payout.settledBy === "api") return refused({ code: "settled_by_api" });
  if (payout.status === "draft") return refused({ code: "payout_not_final" });
  if (payout.status === "canceled") {
    return refused({ code: "payout_closed", status: payout.status, action: "downloaded" });
  }
  const { page, last } = cutPage(lines, pageSize);
  const paid = page.map(async (line) => ({
    ...line,
    details: query.details === "all" || query.details === line.paymentMethod ? await detailsOf(c, line) : undefined,
  }));
  return ok({ payout, page: await Promise.all(paid), next: last?.partnerId });
}

/**
 * Throws if payment details exist but can't be decrypted. Without them, the file would say that the partner is paid by
 * email address.
 */
async function detailsOf(c: Ctx, { programId, sealId, ciphertext }: FileLine): Promise<PaymentDetails | undefined> {
  if (sealId === null || ciphertext === null) return undefined;
  const details = await openDetails(c, { programId, sealId, ciphertext });
  if (details === undefined) throw new Error("no data key decrypts a partner's payment details");
  return details;
}

/** The reply with a payout. It contains payment details if `showsDetails` is true. */
export async function replyOfPayout(
  c: Ctx,
  programId: ProgramId,
  payoutId: PayoutId,
  showsDetails: boolean,
): Promise<Result<ReturnType<typeof payoutWithLines>>> {
  const found = await loadPayout(c, programId, payoutId);
  if (!found.ok) return found;
  const shown = showsDetails ? await readShownDetails(c, found.value.lines) : ok(undefined);
  return shown.ok ? ok(payoutWithLines(found.value, shown.value)) : shown;
}

async function loadPayout(c: Ctx, programId: ProgramId, payoutId: PayoutId): Promise<Result<PayoutView>> {
  const query = { programId, id: payoutId, at: c.get("call").at };
  const found = await readFromDatabase(c, "program", (database) => readPayout(database, query));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noPayout) : ok(found.value);
}

export const ChangedPayout = z.object({ data: PayoutWithLines });

export async function changePayout(
  c: Ctx,
  call: CancelPayoutCall | ConfirmPayoutCall | FailLineCall | FinalizePayoutCall,
): Promise<Result<z.output<typeof ChangedPayout>>> {
  const changed = await runOperation(c, call);
  if (!changed.ok) return changed;
  const found = await replyOfPayout(c, call.programId, call.payoutId, true);
  return found.ok ? ok({ data: found.value }) : found;
}
