import type { CommissionDecision, CommissionStatus } from "#domain/commission-status.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import type { Refusal, RefusalCode } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { messageOf } from "#http/refusal/table.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { CommissionOutcome, DecideCommissionsCall, StateFilter } from "#operations/manage/decide-commissions.ts";
import type { ReviewCommissionsCall, ReviewOutcome } from "#operations/manage/review-commissions.ts";
import type { ChangeCall } from "#operations/manage/settings-change.ts";
import type { CommissionFilter } from "#store/views/commission-filter.ts";
import { type Matches, type MatchRange, readMatches } from "#store/views/commission-list.ts";
import { filterFields, filterOf, readCommission, unconfirmedText } from "./commissions.ts";
import { inOrder } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";

type ChangeBy = Omit<ChangeCall, "kind">;

/** The outcome for one commission, in a call for several. */
const outcomeSchema = <const Result extends string>(name: string, results: readonly Result[]) =>
  z
    .object({
      id: id(),
      result: z.enum([...results, "refused"]),
      code: z.string().optional().describe("Code of the refusal."),
      message: z.string().optional().describe("Reason for the refusal."),
    })
    .openapi(name);

type Outcome<Result extends string> =
  | { readonly id: CommissionId; readonly result: Result }
  | { readonly id: CommissionId; readonly result: "refused"; readonly refusal: Refusal };

export function outcomeReply<Result extends string>(outcome: Outcome<Result>) {
  const { id, result } = outcome;
  if (!("refusal" in outcome)) return { id, result };
  const { refusal } = outcome;
  return { id, result, code: refusal.code satisfies RefusalCode, message: messageOf(refusal, undefined) };
}

/** An approval has neither a reason nor a note for the partner. */
export const noTexts = { reason: null, partnerNote: null } as const;

const maxPerCall = 500;
/** Maximum number of commissions that a filter may match. It is limited, because each call counts them again. */
const maxMatching = 10_000;

const selectionMessage = `Send ids (1 to ${maxPerCall}), or filter with expectedCount`;

export const CommissionsFilter = z
  .object(
    {
      ...filterFields(),
      unconfirmed: fields.optional(fields.flag("unconfirmed")).openapi({ description: unconfirmedText }),
      flag: fields
        .optional(fields.oneOf("flag", ["none"]))
        .openapi({ description: "`none` selects only commissions without a signal." }),
      held: fields
        .optional(fields.flag("held"))
        .openapi({ description: "`true` selects only commissions that are held, `false` only those that aren't." }),
    },
    "filter must be an object",
  )
  .refine(...inOrder());

export const selectionFields = {
  ids: fields
    .optional(
      z
        .array(fields.programId("ids"), "ids must be an array")
        .min(1, selectionMessage)
        .max(maxPerCall, selectionMessage),
    )
    .describe("Ids of the commissions to decide."),
  filter: fields
    .optional(CommissionsFilter)
    .describe(
      "Selects every commission that can be decided and matches, newest first, up to 500 per call. A commission whose status, hold, signals, partner or currency changes meanwhile, so that it no longer matches, is refused.",
    ),
  expectedCount: fields
    .optional(fields.integer("expectedCount", 1, maxMatching))
    .describe("Number of commissions that the filter selects. If it has changed, nothing is decided."),
  beforeId: fields
    .optional(fields.programId("beforeId"))
    .describe(
      "Continues a filter's selection: selects only commissions with an id below this one. Send the last id of the previous response.",
    ),
};

interface Selection {
  readonly ids: readonly number[] | null;
  readonly filter: z.output<typeof CommissionsFilter> | null;
  readonly expectedCount: number | null;
  readonly beforeId: number | null;
}

export const eitherSelection = () =>
  fields.rule<Selection>(["ids"], selectionMessage, ({ ids, filter, expectedCount }) =>
    ids == null ? filter != null && expectedCount != null : filter == null,
  );

export const DecisionsReply = z.object({
  data: z.array(outcomeSchema("CommissionOutcome", ["approved", "rejected", "unchanged"])),
  remaining: int64().describe("Number of commissions that the filter selects after these. 0 for ids."),
});

type Decision = Pick<DecideCommissionsCall, "decision" | "reason" | "partnerNote" | "filter">;

const decidable = {
  approved: ["pending"],
  rejected: ["pending", "approved"],
} as const satisfies Record<CommissionDecision, readonly CommissionStatus[]>;

export async function decideMany(
  c: Ctx,
  by: ChangeBy,
  selection: Selection,
  decision: Decision,
): Promise<Result<z.output<typeof DecisionsReply>>> {
  const selected = await select(c, by.programId, selection, decision.decision);
  if (!selected.ok) return selected;
  const { ids, remaining } = selected.value;
  const filter = stateFilter(selection.filter);
  const outcomes: CommissionOutcome[] = [];
  for (let left: readonly number[] = ids; left.length > 0; ) {
    const decided = await decideStep(c, by, left, { ...decision, filter });
    // Decisions already made are kept. The reply contains them, and the caller can send the others again.
    if (!decided.ok && outcomes.length === 0) return decided;
    const step = decided.ok
      ? decided.value
      : { outcomes: left.map((id) => ({ id, result: "refused", refusal: decided.refusal }) as const), left: [] };
    outcomes.push(...step.outcomes);
    left = step.left;
  }
  return ok({ data: outcomes.map(outcomeReply), remaining });
}

const stateFilter = (filter: Selection["filter"]): StateFilter => ({
  status: filter?.status ?? undefined,
  isHeld: filter?.held ?? undefined,
  partnerId: filter?.partnerId ?? undefined,
  currency: filter?.currency ?? undefined,
  lacksSignals: filter?.flag === "none" ? true : undefined,
});

async function select(
  c: Ctx,
  programId: ProgramId,
  { ids, filter, expectedCount, beforeId }: Selection,
  decision: CommissionDecision,
) {
  if (ids !== null || filter === null) return ok({ ids: [...new Set(ids)], remaining: 0 });
  const range = { beforeId, countUpTo: expectedCount ?? 0, limit: maxPerCall };
  const found = await readSelected(c, programId, filter, { ...range, decision });
  if (!found.ok) return found;
  const { count, ids: matching } = found.value;
  if (count !== expectedCount) return refused({ code: "count_differs", count });
  return ok({ ids: matching, remaining: count - matching.length });
}

/** Returns the commissions that the filter selects and the decision applies to, newest first. */
export function readSelected(
  c: Ctx,
  programId: ProgramId,
  { unconfirmed, flag, held, ...others }: Partial<z.output<typeof CommissionsFilter>>,
  { decision, ...range }: Omit<MatchRange, "statuses"> & { readonly decision: CommissionDecision },
): Promise<Result<Matches>> {
  const asked: CommissionFilter = filterOf({
    ...others,
    isUnconfirmed: unconfirmed === true,
    flag: flag ?? undefined,
    isHeld: held ?? undefined,
  });
  const statuses = decidable[decision];
  return readFromDatabase(c, "program", (database) => readMatches(database, programId, asked, { ...range, statuses }));
}

async function decideStep(c: Ctx, by: ChangeBy, ids: readonly CommissionId[], decision: Decision) {
  const [first, ...others] = ids;
  if (first === undefined) return ok({ outcomes: [], left: [] });
  const operationId = `${by.operationId}.${first}`;
  const commissionIds = [first, ...others] as const;
  const decided = await runOperation(c, { ...by, operationId, kind: "decide-commissions", commissionIds, ...decision });
  return decided.ok ? ok(decided.answer) : decided;
}

/** Decides one commission by calling the operation for many with a list of one. */
export async function decideOne(c: Ctx, by: ChangeBy, id: CommissionId, decision: Decision) {
  const decided = await decideStep(c, by, [id], decision);
  return decided.ok ? resultOf(c, by.programId, id, decided.value.outcomes) : decided;
}

async function resultOf(c: Ctx, programId: ProgramId, id: CommissionId, [outcome]: readonly Outcome<string>[]) {
  return outcome !== undefined && "refusal" in outcome ? refused(outcome.refusal) : readCommission(c, programId, id);
}

const idsMessage = `Send ids (1 to ${maxPerCall})`;

export const reviewedIds = () =>
  fields.ids("ids", maxPerCall, idsMessage).describe("Ids of commissions of the program.");

export const ReviewsReply = z.object({
  data: z.array(outcomeSchema("ReviewOutcome", ["held", "released", "unchanged"])),
});

type Review = ReviewCommissionsCall["review"];

/** Reviews all of these commissions in one commit. */
export async function reviewMany(
  c: Ctx,
  by: ChangeBy,
  ids: readonly CommissionId[],
  review: Review,
): Promise<Result<readonly ReviewOutcome[]>> {
  const [first, ...others] = new Set(ids);
  if (first === undefined) return ok([]);
  const commissionIds = [first, ...others] as const;
  const reviewed = await runOperation(c, { ...by, kind: "review-commissions", commissionIds, review });
  return reviewed.ok ? ok(reviewed.answer) : refused(reviewed.refusal);
}

/** Reviews one commission by calling the operation for many with a list of one. */
export async function reviewOne(c: Ctx, by: ChangeBy, id: CommissionId, review: Review) {
  const reviewed = await reviewMany(c, by, [id], review);
  return reviewed.ok ? resultOf(c, by.programId, id, reviewed.value) : reviewed;
}
