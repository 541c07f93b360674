import type { ProgramId } from "#domain/ids.ts";

const maxOf = { caller: 1, program: 2, service: 4 } as const;
/** Longer than any step takes. A reader who takes nothing for as long loses the turn to others. */
const patienceMs = 15_000;

export interface Download {
  readonly id: string;
  /** Who reads the file. */
  readonly caller: string;
  readonly programId: ProgramId;
}

/** The files that are being made at the same time. In memory, of this process. */
export class Downloads {
  readonly #running = new Map<string, Download & { readonly until: number }>();

  /** Whether this one may begin, or go on. */
  admits(download: Download, at: number): boolean {
    for (const [id, { until }] of this.#running) if (until <= at) this.#running.delete(id);
    if (!this.#running.has(download.id) && !this.#hasRoomFor(download)) return false;
    this.#running.set(download.id, { ...download, until: at + patienceMs });
    return true;
  }

  end({ id }: Download): void {
    this.#running.delete(id);
  }

  #hasRoomFor({ caller, programId }: Download): boolean {
    const running = [...this.#running.values()];
    return (
      running.length < maxOf.service &&
      running.filter((other) => other.programId === programId).length < maxOf.program &&
      running.filter((other) => other.caller === caller).length < maxOf.caller
    );
  }
}
