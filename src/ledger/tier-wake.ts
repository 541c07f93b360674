import type { ProgramId } from "#domain/ids.ts";
import type { Duty } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { Settings } from "#operations/operation.ts";
import type { TierSteps } from "./tier-steps.ts";

interface TierWakeParts {
  readonly settings: Pick<Settings, "policies" | "program">;
  load(): Promise<TierSteps>;
  ringSoon(): void;
}

/**
 * Starts the search for newly reached steps and bonuses, soon after each commit of a program that has or had tiers or
 * bonuses.
 */
export class TierWake implements Duty {
  readonly name = "tiers";
  readonly #parts: TierWakeParts;
  #steps: TierSteps | undefined;
  /** The programs with tiers or bonuses. Undefined until they are read from the database. */
  #programs: Set<ProgramId> | undefined;
  #isDue = true;

  constructor(parts: TierWakeParts) {
    this.#parts = parts;
  }

  onCommitted(programIds: ReadonlySet<ProgramId>): void {
    for (const programId of programIds) {
      if (this.#hasCounts(programId)) this.#programs?.add(programId);
      if (this.#programs !== undefined && !this.#programs.has(programId)) continue;
      this.#isDue = true;
      this.#parts.ringSoon();
    }
  }

  #hasCounts(programId: ProgramId): boolean {
    const { settings } = this.#parts;
    const { hasTiers } = settings.policies(programId, { of: "program" }) ?? {};
    return hasTiers === true || settings.program(programId)?.hasBonuses === true;
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    if (!this.#isDue) return undefined;
    this.#steps ??= await this.#parts.load();
    this.#programs ??= new Set(await this.#steps.programs());
    this.#isDue = false;
    try {
      const next = await this.#steps.run(submit);
      this.#isDue ||= next !== undefined;
      return next;
    } catch (error) {
      this.#isDue = true;
      throw error;
    }
  }
}
