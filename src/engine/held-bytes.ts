interface Holding {
  readonly lineId: number;
  readonly bytes?: number;
}

/**
 * Adds up the memory of waiting calls. The totals are updated with each call, so that the cost of a check doesn't
 * depend on the number of calls.
 */
export class HeldBytes {
  readonly #max: number;
  #all = 0;
  readonly #ofLines = new Map<number, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** True if the call fits. The calls of one line (program) may use at most half of the total. */
  hasRoomFor({ lineId, bytes = 0 }: Holding): boolean {
    if (bytes === 0) return true;
    const own = this.#ofLines.get(lineId) ?? 0;
    return this.#all + bytes <= this.#max && own + bytes <= this.#max / 2;
  }

  add(call: Holding): void {
    this.#change(call, call.bytes ?? 0);
  }

  remove(call: Holding): void {
    this.#change(call, -(call.bytes ?? 0));
  }

  #change({ lineId }: Holding, bytes: number): void {
    if (bytes === 0) return;
    this.#all += bytes;
    const own = (this.#ofLines.get(lineId) ?? 0) + bytes;
    if (own === 0) this.#ofLines.delete(lineId);
    else this.#ofLines.set(lineId, own);
  }
}
