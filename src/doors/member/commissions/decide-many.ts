import { readFromDatabase } from "#api/read-database.ts";
import type { CommissionDecision, CommissionStatus } from "#domain/commission-status.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { CommissionOutcome, DecideCommissionsCall } from "#operations/manage/decide-commissions.ts";
import { type CommissionFilter, readMatches } from "#store/views/commission-list.ts";
import { actingMember } from "../actor.ts";
import { inOrder } from "../reports/query.ts";
import { filterFields, filterOf, unconfirmedText } from "./commission-query.ts";
import { outcomeReply, outcomeSchema } from "./outcome.ts";

const maxPerCall = 500;
/** A filter may match this many: each call counts them again. */
const maxMatching = 10_000;

const selectionMessage = `Send ids (1 to ${maxPerCall}), or filter with expectedCount`;

const Filter = z
  .object(
    {
      ...filterFields(),
      unconfirmed: fields.optional(fields.flag("unconfirmed")).openapi({ description: unconfirmedText }),
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
    .describe("Commissions to decide."),
  filter: fields
    .optional(Filter)
    .describe("Selects every commission that can be decided and matches, newest first, up to 500 per call."),
  expectedCount: fields
    .optional(fields.integer("expectedCount", 1, maxMatching))
    .describe("Number of commissions that the filter selects. If it has changed, nothing is decided."),
  beforeId: fields
    .optional(fields.programId("beforeId"))
    .describe(
      "Continues a filter's selection: only commissions with a smaller id, the last one of the previous reply.",
    ),
};

interface Selection {
  readonly ids: readonly number[] | null;
  readonly filter: z.output<typeof Filter> | null;
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

type Decision = Pick<DecideCommissionsCall, "decision" | "reason" | "partnerNote">;

const decidable = {
  approved: ["pending"],
  rejected: ["pending", "approved"],
} as const satisfies Record<CommissionDecision, readonly CommissionStatus[]>;

type MemberContext = Ctx & Parameters<typeof actingMember>[0];

export async function decideMany(
  c: MemberContext,
  selection: Selection,
  decision: Decision,
): Promise<Result<z.output<typeof DecisionsReply>>> {
  const selected = await select(c, selection, decision.decision);
  if (!selected.ok) return selected;
  const { ids, remaining } = selected.value;
  const outcomes: CommissionOutcome[] = [];
  for (let left: readonly number[] = ids; left.length > 0; ) {
    const decided = await decideStep(c, left, decision);
    // What was decided stays decided: the reply covers those, and the rest can be sent again.
    if (!decided.ok && outcomes.length === 0) return decided;
    const step = decided.ok
      ? decided.value
      : { outcomes: left.map((id) => ({ id, result: "refused", refusal: decided.refusal }) as const), left: [] };
    outcomes.push(...step.outcomes);
    left = step.left;
  }
  return ok({ data: outcomes.map(outcomeReply), remaining });
}

async function select(
  c: MemberContext,
  { ids, filter, expectedCount, beforeId }: Selection,
  decision: CommissionDecision,
) {
  if (ids !== null || filter === null) return ok({ ids: [...new Set(ids)], remaining: 0 });
  const { unconfirmed, ...fieldsOfFilter } = filter;
  const asked: CommissionFilter = filterOf({ ...fieldsOfFilter, isUnconfirmed: unconfirmed === true });
  const range = { statuses: decidable[decision], beforeId, countUpTo: expectedCount ?? 0, limit: maxPerCall };
  const { id: programId } = c.var.program;
  const found = await readFromDatabase(c, "program", (database) => readMatches(database, programId, asked, range));
  if (!found.ok) return found;
  const { count, ids: matching } = found.value;
  if (count !== expectedCount) return refused({ code: "count_differs", count });
  return ok({ ids: matching, remaining: count - matching.length });
}

async function decideStep(c: MemberContext, ids: readonly number[], { decision, reason, partnerNote }: Decision) {
  const [first, ...others] = ids;
  if (first === undefined) return ok({ outcomes: [], left: [] });
  const member = actingMember(c);
  const operationId = `${member.operationId}.${first}`;
  const call = {
    ...member,
    operationId,
    kind: "decide-commissions",
    commissionIds: [first, ...others],
    ...{ decision, reason, partnerNote },
  } as const;
  const decided = await runOperation(c, call);
  return decided.ok ? ok(decided.answer) : decided;
}
