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
  /** The user who started the read. A newer read by the same user replaces it. */
  readonly userId: string;
  readonly operationId: string;
  readonly step: "begin" | "continue" | "end";
}

/**
 * The Ledger's remote interface. Refusals are returned as values. If a call throws, its outcome is unknown. The caller
 * can send it again with the same operation id, and it takes effect once.
 */
export interface LedgerRpc {
  /** Runs a call. If it changes settings, the change applies to every call that is sent after its answer. */
  run<Call extends AnyCall>(call: Call): Promise<Outcome<AnswerTo<Call>>>;
  /**
   * Lists clicks that the database refused and whose ids are higher than `after`, in the order of ids. At most 100 are
   * returned.
   */
  listSpilled(after: number): Promise<Outcome<SpilledClicks>>;
  /** Stores clicks that another shard received while their program was being migrated to this one. */
  takeClicks(clicks: readonly SpilledClick[]): Promise<Outcome<undefined>>;
  retrySpilled(): Promise<Outcome<{ readonly retried: number }>>;
  discardSpilled(ids: readonly number[]): Promise<Outcome<{ readonly discarded: number }>>;
  /** False if the read must wait for others, or must stop because the same user has started a newer one. */
  admitLongRead(step: LongReadStep): Promise<Outcome<boolean>>;
  figures(): Promise<Outcome<LedgerFigures>>;
}
