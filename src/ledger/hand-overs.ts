import type { ProgramId, Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { Call, Outcome } from "#operations/operation.ts";
import type { AnyCall } from "#operations/table.ts";
import type { MovedProgram } from "#store/places.ts";
import { movingPrograms, type PlaceOfRow } from "#store/programs.ts";
import type { LedgerRpc } from "./rpc.ts";
import type { Spill } from "./spill.ts";
import type { VisitorKeys } from "./visitor-keys.ts";

const maxMoving = 20;
const maxClicksPerCall = 100;
const pauseMs = 2_000;

/** This shard among others. */
export interface Neighbors {
  readonly own: Shard;
  ledgerOf(shard: Shard): LedgerRpc;
  /** Of home's directory. */
  movedPrograms(): Promise<readonly MovedProgram[]>;
}

interface HandOverParts extends Pick<DutyParts, "clock" | "report"> {
  readonly spill: Spill;
  readonly visitorKeys: VisitorKeys;
  readonly neighbors: Neighbors;
  taskOf(call: AnyCall): Promise<Task>;
}

/** Left, and the other shard or home doesn't know yet. */
type Left = PlaceOfRow & { readonly leftTo: Shard; readonly moveId: number };

/**
 * Ends what moves of programs begin. One that was to leave by now stays. Of one that has left, the other shard gets what only this
 * object has, and begins; then home knows. What is left to do is in the database, and goes on after a restart.
 */
export class HandOvers implements Duty {
  readonly #parts: HandOverParts;
  #moving: readonly PlaceOfRow[] = [];

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  look(): Look {
    const read = movingPrograms({ ids: JSON.stringify(this.#parts.spill.heldPrograms), limit: maxMoving });
    return {
      read,
      found: (rows) => {
        this.#moving = read.decode(rows);
      },
    };
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    const { clock, report } = this.#parts;
    const next: number[] = [];
    for (const program of this.#moving) {
      const again = await this.#end(program, submit).catch((error: unknown) => {
        report("ledger.hand_over_failed", error);
        return clock.now() + pauseMs;
      });
      if (again !== undefined) next.push(again);
    }
    return next.length === 0 ? undefined : Math.min(...next);
  }

  /** Returns when to look again (ms). */
  async #end(program: PlaceOfRow, submit: (task: Task) => void): Promise<number | undefined> {
    const { clock, spill } = this.#parts;
    const { id: programId, place, leaveBy, moveId } = program;
    if (place === "left" && isLeft(program)) return this.#handOver(program, submit);
    if (place === "leaving" && leaveBy !== null && leaveBy > clock.now()) return leaveBy;
    if (place === "leaving" && moveId !== null) {
      const stayed = await this.#decide({ ...this.#call(moveId), kind: "abandon-move", programId, moveId }, submit);
      if (!stayed) return clock.now() + pauseMs;
    }
    if (place !== "left") spill.unhold(programId);
    return undefined;
  }

  async #handOver(program: Left, submit: (task: Task) => void): Promise<number | undefined> {
    const { clock, neighbors, visitorKeys } = this.#parts;
    const { id: programId, leftTo, moveId } = program;
    const target = neighbors.ledgerOf(leftTo);
    const call = { ...this.#call(moveId), programId, moveId };
    const isOver =
      (await isOk(target.run({ ...call, kind: "adopt-program", visitorKeys: visitorKeys.keysOf(programId) }))) &&
      (await this.#giveClicks(programId, target)) &&
      (await this.#tellHome({ ...call, kind: "set-place", shard: leftTo }, submit)) &&
      (await this.#decide({ ...call, kind: "finish-move" }, submit));
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

  #tellHome(call: Extract<AnyCall, { kind: "set-place" }>, submit: (task: Task) => void): Promise<boolean> {
    const { own, ledgerOf } = this.#parts.neighbors;
    return own === home ? this.#decide(call, submit) : isOk(ledgerOf(home).run(call));
  }

  async #decide(call: AnyCall, submit: (task: Task) => void): Promise<boolean> {
    const task = await this.#parts.taskOf(call);
    submit(task);
    return (await task.outcome).ok;
  }

  #call(moveId: number): Call {
    return { operationId: `move ${moveId}`, at: this.#parts.clock.now() };
  }
}

const isLeft = (program: PlaceOfRow): program is Left => program.leftTo !== null && program.moveId !== null;

const isOk = async (sent: Promise<Outcome<unknown>>): Promise<boolean> => (await sent).ok;
