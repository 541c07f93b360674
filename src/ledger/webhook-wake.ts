import { earliest } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts } from "#engine/duty.ts";
import type { Settings } from "#operations/operation.ts";

/** A sender woken this recently has yet to look. */
const pauseMs = 100;
const lateAgainMs = 30_000;
/** By then a sender that knows of a retry has made it. One whose program arrived here in the meantime doesn't know. */
const lateMs = 2_000;

export interface LateWebhooks {
  readonly programId: ProgramId;
  readonly isLate: boolean;
  /** Time of the next retry (ms). */
  readonly dueAt: number | null;
}

export interface WebhookWakeParts extends Pick<DutyParts, "clock" | "report" | "ringSoon"> {
  readonly settings: Pick<Settings, "program">;
  wake(programId: ProgramId): Promise<void>;
  /** Programs with webhooks. */
  readLate(at: number): Promise<readonly LateWebhooks[]>;
}

/**
 * Wakes the sender of a program's webhooks after each commit, without waiting for it. Commits of the Ledger itself, and
 * work left after a crash or a restore, are found by looking.
 */
export class WebhookWake implements Duty {
  readonly name = "webhooks";
  readonly #parts: WebhookWakeParts;
  readonly #wokenAt = new Map<ProgramId, number>();
  #hasAny = true;
  /** A look that began before may have missed it. */
  #hasCommitted = false;

  constructor(parts: WebhookWakeParts) {
    this.#parts = parts;
  }

  /** Calls without a program are found by looking. */
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

  /** Once more after a pause, if there was a commit in the meantime. */
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
    this.#parts.wake(programId).catch((error) => {
      this.#parts.report("ledger.webhooks_not_woken", error);
      this.#parts.ringSoon();
    });
  }
}
