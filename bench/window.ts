import type { Calls } from "./calls.ts";
import { drive } from "./generator.ts";
import { type Measured, measure, type Window } from "./measure.ts";
import { type Options, unlessTried } from "./options.ts";

/** The compiler needs thousands of calls. */
const warmUpSeconds = unlessTried(2, 0.1);
const firstCalls = 10;
/** More than any machine should reach. */
const perSecondAtMost = unlessTried(3_500, 1_000);

/** The calls of one kind that a run may need: `windows` of them in each round, and their warm-up. */
export const callsAtMost = ({ seconds, rounds }: Pick<Options, "seconds" | "rounds">, windows: number): number =>
  Math.ceil(perSecondAtMost * ((seconds + warmUpSeconds) * rounds * windows + 1));

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
    const warm = await drive(measured.target.url, calls, connections, Math.ceil(rate * warmUpSeconds));
    const window = await measure(measured, calls, connections, Math.ceil(warm.perSecond * this.#seconds));
    this.#rates.set(key, window.perSecond);
    return window;
  }
}
