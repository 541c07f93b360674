import type { PayoutStep } from "../operations/payouts/continue-payout.ts";
import type { UnfinishedPayout } from "../store/payouts.ts";
import type { LoopParts } from "./loop-parts.ts";
import { type Task, taskOf } from "./task.ts";

const stepsPerRun = 20;

interface Progress {
  readonly hasMoved: boolean;
  readonly isOver: boolean;
}

interface PayoutProgress extends Progress {
  readonly payout: UnfinishedPayout | undefined;
}

/**
 * Work that takes several commits: each step is a call that waits its turn, so that other calls come in between. What is
 * left is in the database, and continues after a restart.
 */
export class Steps {
  readonly #parts: Pick<LoopParts, "clock">;
  readonly #submit: (task: Task) => void;
  readonly #payouts = new Map<number, Promise<PayoutProgress>>();

  constructor(parts: Pick<LoopParts, "clock">, submit: (task: Task) => void) {
    this.#parts = parts;
    this.#submit = submit;
  }

  /** Returns false if no step could be taken. */
  async continueMove({ customerId, programId }: { readonly customerId: number; readonly programId: number }) {
    const { continueMove } = await import("./customer-operations.ts");
    const operationId = `move of customer ${customerId}`;
    const { hasMoved } = await this.#run(async () => {
      const at = this.#parts.clock.now();
      const task = taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      this.#submit(task);
      const outcome = await task.outcome;
      return outcome.ok ? outcome.answer : undefined;
    });
    return hasMoved;
  }

  /** Those who ask during a run share it. */
  continuePayout(payout: UnfinishedPayout): Promise<PayoutProgress> {
    const running =
      this.#payouts.get(payout.id) ?? this.#runPayout(payout).finally(() => this.#payouts.delete(payout.id));
    this.#payouts.set(payout.id, running);
    return running;
  }

  /** Continues until no work is left, a step is refused, or time is up. */
  async advancePayout(payout: UnfinishedPayout, withinMs: number): Promise<PayoutStep> {
    const { clock } = this.#parts;
    const end = clock.now() + withinMs;
    let latest: UnfinishedPayout | undefined = payout;
    while (latest !== undefined && latest.phase !== null && clock.now() < end) {
      const timeUp = clock.sleep(end - clock.now()).then(() => undefined);
      const progress: PayoutProgress | undefined = await Promise.race([this.continuePayout(latest), timeUp]);
      if (progress === undefined) break;
      latest = progress.payout;
      if (!progress.hasMoved) break;
    }
    return { payout: latest };
  }

  async #runPayout(payout: UnfinishedPayout): Promise<PayoutProgress> {
    const { continuePayout } = await import("./payout-operations.ts");
    let latest: UnfinishedPayout | undefined = payout;
    const operationId = `payout ${payout.id}`;
    const progress = await this.#run(async () => {
      if (latest === undefined) return { isOver: true };
      const at = this.#parts.clock.now();
      const call = { kind: "continue-payout", operationId, at, programId: latest.programId, payout: latest } as const;
      const task = taskOf(continuePayout, call, at);
      this.#submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return undefined;
      latest = outcome.answer.payout;
      return { isOver: latest === undefined || latest.phase === null };
    });
    return { ...progress, payout: latest };
  }

  async #run(step: () => Promise<{ readonly isOver: boolean } | undefined>): Promise<Progress> {
    for (let steps = 0; steps < stepsPerRun; steps += 1) {
      const taken = await step();
      if (taken === undefined) return { hasMoved: steps > 0, isOver: false };
      if (taken.isOver) return { hasMoved: true, isOver: true };
    }
    return { hasMoved: true, isOver: false };
  }
}
