import type { PayoutId, PayoutLineId, ProgramId } from "#domain/ids.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { settlementState, settlementStates, whyWaiting } from "#domain/settlement.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { instantErrors } from "#http/refusal/validation.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { from, instantOrNull, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { FailLineCall } from "#operations/payouts/fail-line.ts";
import type { SettleLineCall } from "#operations/payouts/settle-line.ts";
import { whyNotByApi } from "#operations/payouts/settled-lines.ts";
import { readBatch } from "#store/database.ts";
import { lineById } from "#store/payout-lines.ts";
import { programById } from "#store/programs.ts";
import { readSettlementPage, type SettledLine } from "#store/views/settlements.ts";
import type { Caller } from "./caller.ts";
import { mailsFrom, sendMails } from "./mail.ts";
import { mailingLines } from "./mails-to-strangers.ts";
import { noPayout } from "./payouts.ts";
import { readFromDatabase } from "./read-database.ts";

const maxAgeDays = 400;

export const settlementRecord = record("SettlementLine", {
  lineId: from("id", id()),
  partnerId: id(),
  externalId: z
    .string()
    .nullable()
    .describe("Your own id for the partner, as it was when the payout was finalized. Null if the partner had none."),
  currency: z.string(),
  amountCents: int64(),
  state: z
    .enum(settlementStates)
    .describe(
      "`due`: you can settle the line. `waiting`: a second person has to confirm the payout first or, after a restore, an owner. `given_back`: the amount is payable again.",
    ),
  settlementId: z.string().nullable().describe("Your own id for the settlement."),
  settledAt: instantOrNull(),
});

export const settlementCursors = cursorOf("settlement-lines", { id: z.int().positive() });

export const NewSettlement = z.object({
  settlementId: fields
    .nonBlank("settlement_id")
    .describe(
      "Your own id for the settlement, such as the processor's id of the credit. Repeating the call with the same id changes nothing; another id is refused with 409 `differs`.",
    ),
  settledAt: fields
    .optional(fields.instant("settled_at"))
    .describe(`Time at which the line was settled, at most ${maxAgeDays} days ago. Defaults to now.`),
});
type NewSettlement = z.output<typeof NewSettlement>;

type Terms = Omit<Awaited<ReturnType<typeof readSettlementPage>>, "lines">;

/** Returns the state of the payout's open lines. Refuses a payout that isn't settled by API. */
function openState({ program, payout, restored }: Terms): Result<"waiting" | "due"> {
  if (program === undefined || payout === undefined) return refused(noPayout);
  const refusal = whyNotByApi(payout);
  if (refusal !== undefined) return refused(refusal);
  return ok(whyWaiting(payout, program.payoutApproval, restored) === undefined ? "due" : "waiting");
}

const replyOf = (
  { state, lateSettledAt, lateSettlementId, settledAt, settlementId, ...line }: SettledLine,
  isWaiting = false,
) =>
  settlementRecord.reply({
    ...line,
    state: settlementState({ state, settledAt }, isWaiting),
    settlementId: lateSettlementId ?? settlementId,
    settledAt: lateSettledAt ?? settledAt,
  });

interface OfPayout {
  readonly programId: ProgramId;
  readonly payoutId: PayoutId;
}

/** Reads a page of the payout's lines, by id. */
export async function readSettlementLines(
  c: Ctx,
  of: OfPayout,
  {
    state,
    after,
    size,
  }: { readonly state: (typeof settlementStates)[number] | undefined; after: number; size: number },
) {
  const found = await readFromDatabase(c, "program", (database) =>
    readSettlementPage(database, { ...of, state, after, limit: size + 1 }),
  );
  if (!found.ok) return found;
  const open = openState(found.value);
  if (!open.ok) return open;
  const isOther = (state === "waiting" || state === "due") && state !== open.value;
  const { page, meta } = settlementCursors.pageOf(isOther ? [] : found.value.lines, size, ({ id }) => ({ id }));
  return ok({ page: page.map((line) => replyOf(line, open.value === "waiting")), meta });
}

type MailsOfLine = Parameters<Parameters<typeof mailingLines>[3]>[0];

/** Runs a call about a line, with the data for an email to the line's partner. */
async function runMailing<Of extends SettleLineCall | FailLineCall>(
  c: Ctx,
  call: Of,
  { lineId, template }: { readonly lineId: PayoutLineId; readonly template: LineTemplate },
) {
  const { programId, payoutId } = call;
  const run = async (mails: MailsOfLine) => {
    const done = await runOperation(c, { ...call, ...mails });
    return done.ok ? ok(done.answer) : refused(done.refusal);
  };
  if (mailsFrom(c) === undefined) return run({ mailsFrom: undefined, recipients: [] });
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, { program: programById({ id: programId }), line: lineById({ payoutId, id: lineId }) }),
  );
  if (!found.ok) return found;
  const { program, line } = found.value;
  if (program === undefined || line === undefined) return run({ mailsFrom: undefined, recipients: [] });
  const { partnerId } = line;
  const sender = { workspaceId: program.workspaceId, userId: undefined };
  const done = await mailingLines(c, sender, { payoutId, partnerId, template }, run);
  if (done.ok) sendMails(c, "program");
  return done;
}

export async function settleLine(
  c: Ctx,
  by: Caller,
  { payoutId, lineId }: { readonly payoutId: PayoutId; readonly lineId: PayoutLineId },
  { settlementId, settledAt }: NewSettlement,
) {
  const sentAt = settledAt === null ? undefined : parseTimestamp(settledAt);
  const [error] = sentAt === undefined ? [] : instantErrors("settled_at", sentAt, by.at, maxAgeDays);
  if (error !== undefined) return refused({ code: "invalid_input", errors: [error] });
  const at = sentAt === undefined ? null : Math.min(sentAt, by.at);
  const call = { ...by, kind: "settle-line", payoutId, lineId, settlementId, settledAt: at } as const;
  const settled = await runMailing(c, call, { lineId, template: "payout_paid" });
  return settled.ok ? ok({ ...replyOf(settled.value.line), late: settled.value.isLate }) : settled;
}

export async function failLine(
  c: Ctx,
  by: Caller,
  { payoutId, lineId }: { readonly payoutId: PayoutId; readonly lineId: PayoutLineId },
  failure: Pick<FailLineCall, "reason" | "partnerNote" | "expectedState">,
) {
  const call = { ...by, kind: "fail-line", payoutId, line: { id: lineId }, ...failure } as const;
  const failed = await runMailing(c, call, { lineId, template: "line_failed" });
  return failed.ok ? ok(replyOf(failed.value.line)) : failed;
}
