import { earliest } from "#domain/calendar.ts";
import { type CommissionDecision, type ShownStatus, shownStatus } from "#domain/commission-status.ts";
import type { CommissionId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { operationsDone } from "#store/audit.ts";
import { type LiveCommission, liveCommission } from "#store/commissions.ts";
import { customerOfCommission, type KnownCustomer } from "#store/customers.ts";
import { lookUpEach, type Write } from "#store/statement.ts";
import {
  allSalesOf,
  type MoreSalesOfEach,
  readSalesOfEach,
  type SalesAfter,
  salesOfOne,
} from "../attribution/earlier-sales.ts";
import { policiesOfProgram } from "../attribution/policies.ts";
import { type Deciding, type Decision, type Gathered, type Operation, refuse, retryWith } from "../operation.ts";
import {
  confirmCustomer,
  confirmsCustomer,
  type DecisionCall,
  endedHolds,
  entriesOf,
  locksOfDecision,
  recordOf,
  refusalOfDecision,
  stateAfter,
} from "./decision.ts";

/** The most customers confirmed in one step. Up to 100 sales of each customer are read. */
const maxConfirmedPerStep = 25;

export interface DecideCommissionsCall extends DecisionCall {
  readonly kind: "decide-commissions";
  /** At most 500 commissions, without duplicates. */
  readonly commissionIds: readonly [number, ...number[]];
  /** Set if a filter selected the commissions. A commission that has changed since and no longer matches is refused. */
  readonly filter?: StateFilter;
}

/** The conditions of a filter that other calls can affect. */
export interface StateFilter {
  readonly status?: ShownStatus | undefined;
  readonly isHeld?: boolean | undefined;
  readonly partnerId?: number | undefined;
  readonly currency?: string | undefined;
  /** Selects only commissions without a signal. */
  readonly lacksSignals?: boolean | undefined;
}

export type CommissionOutcome =
  | { readonly id: CommissionId; readonly result: CommissionDecision | "unchanged" }
  | { readonly id: CommissionId; readonly result: "refused"; readonly refusal: Refusal };

export interface CommissionsDecided {
  readonly outcomes: readonly CommissionOutcome[];
  /** Commissions that the caller must send again, because this call has reached its limit of customers to confirm. */
  readonly left: readonly number[];
}

/** The operation id of one commission in a call about several. */
export const operationOf = (operationId: string, commissionId: CommissionId): string =>
  `${operationId} ${commissionId}`;

function gather(
  { operationId, programId, commissionIds }: DecideCommissionsCall,
  { salesOfEach }: Partial<MoreSalesOfEach>,
) {
  const [first, ...others] = commissionIds;
  const each = <T>(of: (id: CommissionId) => T): [T, ...T[]] => [of(first), ...others.map(of)];
  return {
    done: operationsDone({ operationIds: JSON.stringify(each((id) => operationOf(operationId, id))) }),
    rows: lookUpEach(each((id) => liveCommission({ programId, id }))),
    customers: lookUpEach(each((id) => customerOfCommission({ programId, id }))),
    ...readSalesOfEach(salesOfEach),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/**
 * Decides all commissions in one commit, each as a separate call would decide it. A refused commission doesn't affect
 * the others.
 */
export const decideCommissions: Operation<
  DecideCommissionsCall,
  ReturnType<typeof gather>,
  CommissionsDecided,
  MoreSalesOfEach
> = {
  kind: "decide-commissions",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }, policiesOfProgram(programId)],

  gather,

  locks(call, { rows, customers }) {
    const all = call.commissionIds.map((id, i) => locksOfDecision(call, id, { row: rows[i], customer: customers[i] }));
    return {
      exclusive: [...new Set(all.flatMap(({ exclusive }) => exclusive))],
      shared: [...new Set(all.flatMap(({ shared = [] }) => shared))],
    };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.programId);
    if (!program) return refuse(notFound("program"));
    return new Step(call, found, { program, context, at: call.at }).decide();
  },
};

function matches({ commission, isMarked }: LiveCommission, filter: StateFilter): boolean {
  const { status, heldBy, heldAt, partnerId, currency } = commission;
  const now = {
    status: shownStatus(status, heldBy),
    isHeld: status === "pending" && heldAt !== null,
    partnerId,
    currency,
    lacksSignals: !isMarked,
  };
  return names(filter).every((name) => filter[name] === undefined || filter[name] === now[name]);
}

const names = (filter: StateFilter) => Object.keys(filter) as (keyof StateFilter)[];

type Confirmation = Exclude<ReturnType<typeof confirmCustomer>, Decision<never>>;
type Commission = LiveCommission["commission"];

class Step {
  readonly #call: DecideCommissionsCall;
  readonly #found: Found;
  readonly #deciding: Deciding;
  readonly #done: ReadonlySet<string>;
  readonly #outcomes: CommissionOutcome[] = [];
  readonly #decided: Commission[] = [];
  /** The value is undefined until the customer's sales have been read. */
  readonly #confirmed = new Map<number, Confirmation | undefined>();
  readonly #salesOfEach: SalesAfter[] = [];

  constructor(call: DecideCommissionsCall, found: Found, deciding: Deciding) {
    this.#call = call;
    this.#found = found;
    this.#deciding = deciding;
    this.#done = new Set(found.done.map(({ operationId }) => operationId));
  }

  decide(): Decision<CommissionsDecided, MoreSalesOfEach> {
    const { commissionIds, programId } = this.#call;
    const end = commissionIds.findIndex((id, i) => !this.#decideOne(id, i));
    const confirmed = [...this.#confirmed.values()];
    if (confirmed.includes(undefined)) return retryWith({ salesOfEach: this.#salesOfEach });
    return {
      kind: "commit",
      programId,
      answer: { outcomes: this.#outcomes, left: end === -1 ? [] : commissionIds.slice(end) },
      writes: this.#writes(),
      holdUntil: earliest(...confirmed.map((each) => each?.holdUntil)),
    };
  }

  /** Returns false if the commission is left for another call. */
  #decideOne(id: CommissionId, i: number): boolean {
    const { decision, operationId, filter = {} } = this.#call;
    const row = this.#found.rows[i];
    const customer = this.#found.customers[i];
    if (this.#done.has(operationOf(operationId, id))) return this.#add({ id, result: decision });
    if (row === undefined) return this.#add({ id, result: "refused", refusal: notFound("commission") });
    if (shownStatus(row.commission.status, row.commission.heldBy) === decision)
      return this.#add({ id, result: "unchanged" });
    if (!matches(row, filter)) return this.#add({ id, result: "refused", refusal: { code: "no_longer_matches" } });
    const refusal = refusalOfDecision(decision, row, this.#movedUpTo(customer));
    if (refusal !== undefined) return this.#add({ id, result: "refused", refusal });
    if (customer !== undefined && confirmsCustomer(decision, customer)) {
      if (this.#isStillMoving(customer)) return this.#add({ id, result: "refused", refusal: { code: "moving" } });
      if (!this.#confirm(customer)) return false;
    }
    this.#decided.push(row.commission);
    return this.#add({ id, result: decision });
  }

  /**
   * True while the customer has a pending reattribution. A confirmation would replace it, so that the sales it hasn't
   * reached would stay with their former partner.
   */
  #isStillMoving({ id, movedUpTo }: KnownCustomer): boolean {
    return movedUpTo !== null && !this.#confirmed.has(id);
  }

  #add(outcome: CommissionOutcome): true {
    this.#outcomes.push(outcome);
    return true;
  }

  #movedUpTo(customer: KnownCustomer | undefined): KnownCustomer["movedUpTo"] | Confirmation["movedUpTo"] | undefined {
    const confirmed = customer && this.#confirmed.get(customer.id);
    return confirmed === undefined ? customer?.movedUpTo : confirmed.movedUpTo;
  }

  /** Returns false if the call has reached its limit of customers to confirm. */
  #confirm(customer: KnownCustomer): boolean {
    if (this.#confirmed.has(customer.id)) return true;
    if (this.#confirmed.size >= maxConfirmedPerStep) return false;
    const found = salesOfOne(this.#found, customer.id);
    const confirmation = confirmCustomer(customer, found, this.#deciding);
    const isMissing = "kind" in confirmation;
    const missing = isMissing && confirmation.kind === "retry" ? confirmation.missing.salesOf : undefined;
    this.#salesOfEach.push(missing ?? found.sales?.of ?? allSalesOf(customer.id));
    this.#confirmed.set(customer.id, isMissing ? undefined : confirmation);
    return true;
  }

  /** Groups the writes by kind, because the database layer combines statements with the same SQL. */
  #writes(): readonly Write[] {
    const call = this.#call;
    const of = (each: (commission: Commission) => readonly Write[]) => this.#decided.flatMap(each);
    const records = this.#decided.map((commission) => {
      const operationId = operationOf(call.operationId, commission.id);
      return recordOf({ ...call, operationId }, commission, this.#deciding.context);
    });
    return [
      ...records.flatMap(({ notes }) => notes),
      ...of((commission) => [stateAfter(call, commission, this.#deciding.context)]),
      ...of((commission) => endedHolds(call, commission)),
      ...of((commission) => entriesOf(call, commission, this.#deciding)),
      ...[...this.#confirmed.values()].flatMap((each) => each?.writes ?? []),
      ...records.map(({ audit }) => audit),
    ];
  }
}
