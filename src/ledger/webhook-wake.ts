import { earliest } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts } from "#engine/duty.ts";
import type { Settings } from "#operations/operation.ts";

/** The shortest time between two wakes of a program's sender (ms). */
const pauseMs = 100;
const lateAgainMs = 30_000;
/**
 * A running sender makes a retry at most this long after it is due (ms). After a shard migration, there may be no
 * running sender for the program.
 */
const lateMs = 2_000;

export interface LateWebhooks {
  readonly programId: ProgramId;
  readonly isLate: boolean;
  /** When the next retry is due (ms). */
  readonly dueAt: number | null;
}

export interface WebhookWakeParts extends Pick<DutyParts, "clock" | "report" | "ringSoon"> {
  readonly settings: Pick<Settings, "program">;
  wake(programId: ProgramId): Promise<void>;
  /** Reads the programs with webhooks. */
  readLate(at: number): Promise<readonly LateWebhooks[]>;
}

/**
 * Wakes the sender of a program's webhooks after each commit, without waiting for it. A read in the maintenance run
 * finds commits of the Ledger itself, and work that is left after a crash or a restore.
 */
export class WebhookWake implements Duty {
  readonly name = "webhooks";
  readonly #parts: WebhookWakeParts;
  readonly #wokenAt = new Map<ProgramId, number>();
  /** Programs whose sender couldn't be woken. Only the first failure in a row is reported. */
  readonly #notWoken = new Set<ProgramId>();
  #hasAny = true;
  /**
   * True if a program with webhooks had a commit since the last read began. The read may have missed the events of that
   * commit.
   */
  #hasCommitted = false;

  constructor(parts: WebhookWakeParts) {
    this.#parts = parts;
  }

  /** Commits without a program are found by the read in the maintenance run. */
  onCommitted(programIds: ReadonlySet<ProgramId>, isInternal: boolean): void {
    for (const programId of programIds) {
      if (this.#parts.settings.program(programId)?.hasWebhooks) {
        this.#hasAny = true;
        this.#hasCommitted = true;
        this.#wake(programId);
      }
    }
    if ((isInternal || programIds.has(0)) && this.#hasAny) this.#parts.ringSoon();
  }

  async run(): Promise<number | undefined> {
    if (!this.#hasAny) return undefined;
    const { clock, readLate } = this.#parts;
    this.#hasCommitted = false;
    const found = await readLate(clock.now());
    this.#hasAny = found.length > 0 || this.#hasCommitted;
    const late = found.filter(({ isLate }) => isLate);
    for (const { programId } of late) this.#wake(programId);
    const again = late.length > 0 ? clock.now() + lateAgainMs : undefined;
    const retries = found.map(({ isLate, dueAt }) => (isLate || dueAt === null ? undefined : dueAt + lateMs));
    return earliest(again, ...retries);
  }

  /** Wakes the sender. If it was woken recently, it is woken again after a pause. */
  #wake(programId: ProgramId): void {
    const now = this.#parts.clock.now();
    const last = this.#wokenAt.get(programId) ?? 0;
    const isSetBack = last > now + pauseMs;
    if (last > now && !isSetBack) return;
    const due = isSetBack ? now : Math.max(now, last + pauseMs);
    this.#wokenAt.set(programId, due);
    if (due > now) setTimeout(() => this.#send(programId), due - now);
    else this.#send(programId);
  }

  #send(programId: ProgramId): void {
    this.#parts.wake(programId).then(
      () => this.#notWoken.delete(programId),
      (error: unknown) => {
        if (!this.#notWoken.has(programId)) this.#parts.report("ledger.webhooks_not_woken", error);
        this.#notWoken.add(programId);
        this.#parts.ringSoon();
      },
    );
  }
}
