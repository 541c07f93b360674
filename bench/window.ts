import type { Calls } from "./calls.ts";
import { drive } from "./generator.ts";
import { type Measured, measure, type Window } from "./measure.ts";
import { type Options, unlessTried } from "./options.ts";

/** Long enough for thousands of calls, which the just-in-time compiler needs. */
const warmUpSeconds = unlessTried(2, 0.1);
const firstCalls = 10;
/** More calls per second than any machine should reach. */
const perSecondAtMost = unlessTried(3_500, 1_000);

/** The number of calls of one kind that a run may need, for `windows` windows in each round and their warm-up. */
export const callsAtMost = ({ seconds, rounds }: Pick<Options, "seconds" | "rounds">, windows: number): number =>
  Math.ceil(perSecondAtMost * ((seconds + warmUpSeconds) * rounds * windows + 1));

export class Windows {
  readonly #seconds: number;
  readonly #rates = new Map<string, number>();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /**
   * Measures one window. The number of its calls follows from the rate of the warm-up before it. `name` distinguishes
   * the contenders whose rates are stored.
   */
  async run(name: string, measured: Measured, calls: Calls, connections: number): Promise<Window> {
    const key = `${name} ${calls.kind} ${connections}`;
    const rate =
      this.#rates.get(key) ??
      (await drive(measured.target.url, calls, connections, Math.max(firstCalls, connections))).perSecond;
    const warm = await drive(measured.target.url, calls, connections, Math.ceil(rate * warmUpSeconds));
    const window = await measure(measured, calls, connections, Math.ceil(warm.perSecond * this.#seconds));
    this.#rates.set(key, window.perSecond);
    return window;
  }
}
