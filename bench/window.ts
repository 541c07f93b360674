import type { Calls } from "./calls.ts";
import { drive } from "./generator.ts";
import { type Measured, measure, type Window } from "./measure.ts";

const warmUpShare = 0.25;
const firstCalls = 10;

/** Windows of about so many seconds each, whatever the rate: every call of one is answered before it ends. */
export class Windows {
  readonly #seconds: number;
  readonly #rates = new Map<string, number>();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** A warm-up, which also tells how many calls make a window, and the window. `name` tells rates apart. */
  async run(name: string, measured: Measured, calls: Calls, connections: number): Promise<Window> {
    const key = `${name} ${calls.kind} ${connections}`;
    const rate =
      this.#rates.get(key) ??
      (await drive(measured.target.url, calls, connections, Math.max(firstCalls, connections))).perSecond;
    const warm = await drive(measured.target.url, calls, connections, Math.ceil(rate * this.#seconds * warmUpShare));
    const window = await measure(measured, calls, connections, Math.ceil(warm.perSecond * this.#seconds));
    this.#rates.set(key, window.perSecond);
    return window;
  }
}
