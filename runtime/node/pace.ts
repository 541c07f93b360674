import { Transform } from "node:stream";

interface PaceOptions {
  readonly bytesPerMs: number;
  readonly burstBytes: number;
  /** The current time in milliseconds. */
  readonly now?: () => number;
  readonly later?: (run: () => void) => void;
}

const soonMs = 5;

/** Limits the bytes per second of all streams together. Waiting chunks pass in order. */
export class Pace {
  readonly #bytesPerMs: number;
  readonly #burstBytes: number;
  readonly #now: () => number;
  readonly #later: (run: () => void) => void;
  readonly #waiting: { readonly bytes: number; readonly pass: () => void }[] = [];
  #room: number;
  #filledAt: number;

  constructor({
    bytesPerMs,
    burstBytes,
    now = () => performance.now(),
    later = (run) => setTimeout(run, soonMs),
  }: PaceOptions) {
    this.#bytesPerMs = bytesPerMs;
    this.#burstBytes = burstBytes;
    this.#now = now;
    this.#later = later;
    this.#room = burstBytes;
    this.#filledAt = now();
  }

  /** Calls `pass` at once, or as soon as the limit allows. */
  take(bytes: number, pass: () => void): void {
    this.#waiting.push({ bytes, pass });
    if (this.#waiting.length === 1) this.#passOn();
  }

  #passOn(): void {
    const now = this.#now();
    this.#room = Math.min(this.#burstBytes, this.#room + (now - this.#filledAt) * this.#bytesPerMs);
    this.#filledAt = now;
    for (let [next] = this.#waiting; next !== undefined && this.#room > 0; [next] = this.#waiting) {
      this.#room -= next.bytes;
      // Removes the current chunk only afterwards, so that a chunk that `pass` adds waits behind it.
      next.pass();
      this.#waiting.shift();
    }
    if (this.#waiting.length > 0) this.#later(() => this.#passOn());
  }

  stream(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => this.take(chunk.length, () => done(null, chunk)),
    });
  }
}
