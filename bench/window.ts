import type { Calls } from "./calls.ts";
import { drive } from "./generator.ts";
import { type Measured, measure, type Window } from "./measure.ts";

const warmUpShare = 0.25;
const firstCalls = 10;

export class Windows {
  readonly #seconds: number;
  readonly #rates = new Map<string, number>();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** The warm-up also sets the number of calls in the window. `name` keeps rates apart. */
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
