import { appliesTo, isPeriodOver, lastMonthOf, referenceOfBonus } from "#domain/bonuses.ts";
import { dayIn } from "#domain/calendar.ts";
import { bonusText } from "#domain/explain/bonus-text.ts";
import type { BonusId, PartnerId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { operationsDone } from "#store/audit.ts";
import { type BonusRow, bonusesWithIds, type Reached, reachedOfRows } from "#store/bonuses.ts";
import { removeAwarded } from "#store/due-bonuses.ts";
import type { Write } from "#store/statement.ts";
import { adjustmentWrites } from "../manage/create-adjustment.ts";
import { type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Deciding, type Gathered, type Operation, refuse } from "../operation.ts";

interface AwardRow {
  readonly bonusId: BonusId;
  readonly partnerId: PartnerId;
}

export interface AwardBonusesCall extends ChangeCall {
  readonly kind: "award-bonuses";
  readonly period: string;
  /** At most 500 rows. */
  readonly rows: readonly AwardRow[];
}

type Outcome = { readonly result: "awarded" | "unchanged" } | { readonly result: "refused"; readonly refusal: Refusal };
export type AwardOutcome = AwardRow & Outcome;

const operationOf = (operationId: string, { bonusId, partnerId }: AwardRow): string =>
  `${operationId}.${bonusId}.${partnerId}`;

const pairsOf = (rows: readonly AwardRow[]): string =>
  JSON.stringify(rows.map(({ bonusId, partnerId }) => [bonusId, partnerId]));

const pair = ({ bonusId, partnerId }: AwardRow): string => `${bonusId} ${partnerId}`;

function gather({ operationId, programId, period, rows }: AwardBonusesCall) {
  return {
    done: operationsDone({ operationIds: JSON.stringify(rows.map((row) => operationOf(operationId, row))) }),
    bonuses: bonusesWithIds({ programId, ids: JSON.stringify(rows.map(({ bonusId }) => bonusId)) }),
    reached: reachedOfRows({ programId, period, lastMonth: lastMonthOf(period), rows: pairsOf(rows) }),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/**
 * Pays the bonuses of a period as adjustments. If one row is refused, the others are still paid. Exclusive (alone in
 * its round), so that no refund in the same round changes the counted sales after they are read.
 */
export const awardBonuses: Operation<AwardBonusesCall, ReturnType<typeof gather>, readonly AwardOutcome[]> = {
  kind: "award-bonuses",
  isEssential: true,
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    const { programId, period, at, rows } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    const deciding = { program, context, at };
    const decisions = new Awards(call, found, dayIn(program.timezone, at));
    const decided = rows.map((row) => ({ row, ...decisions.next(row) }));
    const answer = decided.map(({ row, outcome }) => ({ ...row, ...outcome }));
    const due = decided.flatMap(({ row, bonus }) => (bonus === undefined ? [] : [{ row, bonus }]));
    if (due.length === 0) return noChange(programId, answer);
    const writes = [
      ...byKind(due.flatMap(({ row, bonus }) => awardWrites(call, row, bonus, deciding))),
      removeAwarded({ programId, lastMonth: lastMonthOf(period), rows: pairsOf(due.map(({ row }) => row)) }),
    ];
    return { kind: "commit", programId, answer, writes };
  },
};

/** Groups the writes by kind, because the database layer combines statements with the same SQL. */
const byKind = (writes: readonly Write[]): readonly Write[] =>
  [...Map.groupBy(writes, ({ sql }) => sql).values()].flat();

interface Decided {
  readonly outcome: Outcome;
  readonly bonus?: BonusRow;
}

class Awards {
  readonly #call: AwardBonusesCall;
  readonly #today: string;
  readonly #done: ReadonlySet<string>;
  readonly #bonuses: ReadonlyMap<BonusId, BonusRow>;
  readonly #reached: ReadonlyMap<string, Reached>;
  readonly #awarded = new Set<string>();

  constructor(call: AwardBonusesCall, { done, bonuses, reached }: Found, today: string) {
    this.#call = call;
    this.#today = today;
    this.#done = new Set(done.map(({ operationId }) => operationId));
    this.#bonuses = new Map(bonuses.map((bonus) => [bonus.id, bonus]));
    this.#reached = new Map(reached.map((each) => [pair(each), each]));
  }

  next(row: AwardRow): Decided {
    if (this.#awarded.has(pair(row))) return { outcome: { result: "unchanged" } };
    if (this.#done.has(operationOf(this.#call.operationId, row))) return { outcome: { result: "awarded" } };
    const bonus = this.#bonuses.get(row.bonusId);
    const reached = this.#reached.get(pair(row));
    if (bonus === undefined || reached === undefined) {
      return { outcome: { result: "refused", refusal: notFound(bonus === undefined ? "bonus" : "partner") } };
    }
    const { recordedAt } = reached;
    if (recordedAt !== null && recordedAt >= bonus.createdAt) return { outcome: { result: "unchanged" } };
    const refusal = this.#whyRefused(bonus, reached);
    if (refusal !== undefined) return { outcome: { result: "refused", refusal } };
    this.#awarded.add(pair(row));
    return { outcome: { result: "awarded" }, bonus };
  }

  #whyRefused(bonus: BonusRow, { isErased, count, recordedAt }: Reached): Refusal | undefined {
    const { period } = this.#call;
    if (bonus.dismissedAt !== null) return { code: "bonus_dismissed" };
    if (!appliesTo(bonus, period)) return { code: "not_in_period" };
    if (!isPeriodOver(period, this.#today)) return { code: "period_running" };
    if (isErased) return { code: "partner_erased" };
    if (count < bonus.threshold) return { code: "not_reached" };
    // An adjustment that an earlier version of the service recorded, before the bonus existed, has the award's
    // reference.
    return recordedAt === null ? undefined : { code: "adjustment_conflict", differences: ["reference"] };
  }
}

function awardWrites(
  call: AwardBonusesCall,
  row: AwardRow,
  { id, amountCents, currency, ...goal }: BonusRow,
  deciding: Deciding,
): readonly Write[] {
  const text = bonusText(goal, call.period);
  const adjustment = {
    ...call,
    operationId: operationOf(call.operationId, row),
    partnerId: row.partnerId,
    amountCents,
    currency,
    reason: text,
    partnerNote: text,
    reference: referenceOfBonus(id, call.period),
  };
  return adjustmentWrites(adjustment, deciding).writes;
}
