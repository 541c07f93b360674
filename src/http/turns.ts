import type { ProgramId } from "#domain/ids.ts";

const maxOf = { caller: 1, program: 2 } as const;
const maxParts = 4;
/** Beyond the time after which a connection that nobody reads is closed. */
const patienceMs = 90_000;

export interface Download {
  readonly id: string;
  /** Who reads the file. */
  readonly caller: string;
  readonly programId: ProgramId;
}

/** The files that are read at the same time, and how many parts of them are being made. In memory, of this process. */
export class Downloads {
  readonly #open = new Map<string, Download & { readonly until: number }>();
  #parts = 0;

  /** False if the caller, or the program, has to wait for another file. */
  opens(download: Download, at: number): boolean {
    for (const [id, { until }] of this.#open) if (until <= at) this.#open.delete(id);
    const open = [...this.#open.values()];
    const isFull =
      open.filter(({ programId }) => programId === download.programId).length >= maxOf.program ||
      open.filter(({ caller }) => caller === download.caller).length >= maxOf.caller;
    return !isFull && this.#renew(download, at);
  }

  /** False if nobody has read the file for long, so that it has ended. */
  goesOn(download: Download, at: number): boolean {
    return this.#open.has(download.id) && this.#renew(download, at);
  }

  end({ id }: Download): void {
    this.#open.delete(id);
  }

  /** False if enough parts are being made. */
  beginsPart(): boolean {
    if (this.#parts >= maxParts) return false;
    this.#parts += 1;
    return true;
  }

  endPart(): void {
    this.#parts -= 1;
  }

  #renew(download: Download, at: number): true {
    this.#open.set(download.id, { ...download, until: at + patienceMs });
    return true;
  }
}
