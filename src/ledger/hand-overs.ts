import type { Shard } from "#domain/ids.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { AnyCall } from "#operations/table.ts";
import type { MovedProgram } from "#store/places.ts";
import { movingPrograms, type PlaceOfRow } from "#store/program-place.ts";
import type { LedgerRpc } from "./rpc.ts";
import type { Spill } from "./spill.ts";
import type { VisitorKeys } from "./visitor-keys.ts";

const maxMoving = 100;

/** The other shards, as seen from this one. */
export interface Neighbors {
  readonly own: Shard;
  ledgerOf(shard: Shard): LedgerRpc;
  /** Programs that have been migrated, from the directory in the home database. */
  movedPrograms(): Promise<readonly MovedProgram[]>;
}

export interface HandOverParts extends Pick<DutyParts, "clock" | "report"> {
  readonly spill: Spill;
  readonly visitorKeys: VisitorKeys;
  readonly neighbors: Neighbors;
  postingAt(): number;
  taskOf(call: AnyCall): Promise<Task>;
}

/**
 * Finishes shard migrations that have begun. The remaining work is stored in the database, so it continues after a
 * restart.
 */
export class HandOvers implements Duty {
  readonly name = "hand-overs";
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
    if (this.#moving.length === 0) return undefined;
    const { HandOver } = await import("./hand-over.ts");
    return new HandOver(this.#parts, submit).endAll(this.#moving);
  }
}
