import type { ProgramId } from "#domain/ids.ts";
import type { Lane, Outcome } from "#operations/operation.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";
import type { ClickRow } from "#store/clicks.ts";

export type SpilledClick = Omit<ClickRow, "id">;

export interface ClickSetAside {
  readonly id: number;
  readonly click: Readonly<Record<string, unknown>>;
}

export interface SpilledClicks {
  readonly waiting: number;
  readonly setAside: number;
  readonly clicks: readonly ClickSetAside[];
}

export interface LedgerFigures extends Omit<SpilledClicks, "clicks"> {
  readonly queued: Readonly<Record<Lane, number>>;
  readonly isClockWrong: boolean;
}

export interface LongReadStep {
  readonly kind: "simulation" | "breakdown";
  readonly programId: ProgramId;
  /** A user's newer read takes the place of an older one. */
  readonly userId: string;
  readonly operationId: string;
  readonly step: "begin" | "continue" | "end";
}

/**
 * A refusal is returned as a value. A call that throws has an unknown outcome: the same call, with the same operation id,
 * may be sent again and takes effect once.
 */
export interface LedgerRpc {
  /** A change of settings is in force for every call sent after its answer. */
  run<Call extends AnyCall>(call: Call): Promise<Outcome<AnswerTo<Call>>>;
  /** Up to 100 clicks that were set aside, in the order of their ids, from after this one on. */
  listSpilled(after: number): Promise<Outcome<SpilledClicks>>;
  /** Writes clicks that another shard kept while their program moved. */
  takeClicks(clicks: readonly SpilledClick[]): Promise<Outcome<undefined>>;
  retrySpilled(): Promise<Outcome<{ readonly retried: number }>>;
  discardSpilled(ids: readonly number[]): Promise<Outcome<{ readonly discarded: number }>>;
  /** False if it must wait for others, or stop for a newer one of the same user. */
  admitLongRead(step: LongReadStep): Promise<Outcome<boolean>>;
  figures(): Promise<Outcome<LedgerFigures>>;
}
