import type { ProgramId, Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import type { Task } from "#engine/task.ts";
import type { Call, Outcome } from "#operations/operation.ts";
import type { AnyCall } from "#operations/table.ts";
import type { PlaceOfRow } from "#store/program-place.ts";
import type { HandOverParts } from "./hand-overs.ts";
import type { LedgerRpc } from "./rpc.ts";

const maxClicksPerCall = 100;
const pauseMs = 2_000;

/** A program that has left this shard while the other shard or home (shard 0) hasn't confirmed the migration yet. */
type Left = PlaceOfRow & { readonly leftTo: Shard; readonly moveId: number };

/**
 * Finishes the shard migrations of programs. A program that misses its deadline to leave stays on this shard. For a
 * program that has left, the target receives the data that only this object has (visitor keys, the last posting
 * instant, stored clicks). After that, home (shard 0) is notified.
 */
export class HandOver {
  readonly #parts: HandOverParts;
  readonly #submit: (task: Task) => void;

  constructor(parts: HandOverParts, submit: (task: Task) => void) {
    this.#parts = parts;
    this.#submit = submit;
  }

  /** Returns when to run again (ms). */
  async endAll(moving: readonly PlaceOfRow[]): Promise<number | undefined> {
    const { clock, report } = this.#parts;
    const next: number[] = [];
    for (const program of moving) {
      const again = await this.#end(program).catch((error: unknown) => {
        report("ledger.hand_over_failed", error);
        return clock.now() + pauseMs;
      });
      if (again !== undefined) next.push(again);
    }
    return next.length === 0 ? undefined : Math.min(...next);
  }

  async #end(program: PlaceOfRow): Promise<number | undefined> {
    const { clock } = this.#parts;
    const { id: programId, place, leaveBy, moveId } = program;
    if (place === "left" && isLeft(program)) return this.#giveAway(program);
    if (place === "leaving" && leaveBy !== null && leaveBy > clock.now()) return leaveBy;
    if (place !== "leaving" && place !== "here") return undefined;
    const move = moveId ?? 0;
    const stayed = await this.#decide({ ...this.#call(move), kind: "abandon-move", programId, moveId: move });
    if (!stayed) return clock.now() + pauseMs;
    return place === "leaving" ? clock.now() : undefined;
  }

  async #giveAway({ id: programId, leftTo, moveId }: Left): Promise<number | undefined> {
    const { clock, neighbors, visitorKeys, postingAt } = this.#parts;
    const target = neighbors.ledgerOf(leftTo);
    const call = { ...this.#call(moveId), programId, moveId };
    const isOver =
      (await isOk(
        target.run({
          ...call,
          kind: "adopt-program",
          visitorKeys: visitorKeys.keysOf(programId),
          postedUntil: postingAt(),
        }),
      )) &&
      (await this.#giveClicks(programId, target)) &&
      (await this.#tellHome({ ...call, kind: "set-place", shard: leftTo })) &&
      (await this.#decide({ ...call, kind: "finish-move" }));
    return isOver ? undefined : clock.now() + pauseMs;
  }

  async #giveClicks(programId: ProgramId, target: LedgerRpc): Promise<boolean> {
    const { spill } = this.#parts;
    for (;;) {
      const held = spill.held(programId, maxClicksPerCall);
      if (held.length === 0) return true;
      if (!(await isOk(target.takeClicks(held.map(({ click }) => click))))) return false;
      spill.releaseHeld(held.map(({ seq }) => seq));
    }
  }

  #tellHome(call: Extract<AnyCall, { kind: "set-place" }>): Promise<boolean> {
    const { own, ledgerOf } = this.#parts.neighbors;
    return own === home ? this.#decide(call) : isOk(ledgerOf(home).run(call));
  }

  async #decide(call: AnyCall): Promise<boolean> {
    const task = await this.#parts.taskOf(call);
    this.#submit(task);
    return (await task.outcome).ok;
  }

  #call(moveId: number): Call {
    return { operationId: `move ${moveId}`, at: this.#parts.clock.now() };
  }
}

const isLeft = (program: PlaceOfRow): program is Left => program.leftTo !== null && program.moveId !== null;

const isOk = async (sent: Promise<Outcome<unknown>>): Promise<boolean> => (await sent).ok;
