import { hourMs } from "../domain/calendar.ts";
import type { Context } from "../operations/operation.ts";
import { writesOfClick } from "../operations/track/record-click.ts";
import { approveDueCommissions } from "../store/commissions.ts";
import type { Write } from "../store/statement.ts";
import type { Alarm } from "./alarm.ts";
import type { Clock } from "./fenced-writer.ts";
import { type InternalWrite, ownerOf, type RoundContext } from "./round.ts";
import type { Spill, Spilled } from "./spill.ts";

const maxClicksAtOnce = 100;
const maxMaturedAtOnce = 500;
/** Of what is ripe, before the next upkeep. */
const maxMaturedOneByOne = 10;
/** What has no answer this often, each time in another upkeep, is too much for the database. */
const maxUnanswered = 3;
const pauseMs = 5_000;
const longestPauseMs = 600_000;
/** How much more of the usual number goes along after a round that passed; after one that failed it is half. */
const growth = 0.05;

/** `unanswered`: whether they were done is not known. `untried`: they had no try of their own, or the database is away. */
export type Tried = "done" | "refused" | "unanswered" | "untried";

/** Has writes done among the calls, as a call of their own. */
export type Alone = (about: string, writesOf: (context: Pick<Context, "newId">) => readonly Write[]) => Promise<Tried>;

interface ChoresParts {
  readonly spill: Spill;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly context: Pick<RoundContext, "keyUse" | "newId" | "report">;
}

/**
 * The Ledger's own work: kept clicks to settle, commissions that are ripe, the use of keys. It goes along with the calls
 * of a round. Where such a round fails, no call shall fail by it again: it rests for a while, is then done one by one,
 * and what fails alone is out of the way.
 */
export class InternalWrites {
  readonly #parts: ChoresParts;
  /** The object's own storage failed to let go of clicks: they are settled again at the next upkeep. */
  #isStuck = false;
  /** The use of keys is to be written even if nothing else is. */
  #isKeyUseDue = false;
  #isRipe = false;
  #isResting = false;
  #restsUntil = 0;
  /** Rounds that failed, since one passed. */
  #setbacks = 0;
  /** Of the usual number at once. */
  #share = 1;
  /** How often each has had no answer. */
  #unanswered = new Map<string, number>();
  /** Of those that are ripe, the oldest that the database doesn't manage; they are tried again later. */
  #skipped = 0;
  #skippedUntil = 0;

  constructor(parts: ChoresParts) {
    this.#parts = parts;
  }

  /** Whether a round is to be made of them alone. */
  get isDue(): boolean {
    return !this.#isResting && (this.#hasSpilled || this.#isKeyUseDue || this.#isRipe);
  }

  get #hasSpilled(): boolean {
    return !this.#isStuck && !this.#parts.spill.isEmpty;
  }

  /** Commissions that are passed over when the next is looked for. */
  get skipped(): number {
    return this.#skipped;
  }

  /** An upkeep begins. */
  begin(): void {
    this.#isStuck = false;
    this.#isKeyUseDue = this.#parts.context.keyUse.isPending;
    if (this.#parts.clock.now() >= this.#skippedUntil) this.#skipped = 0;
  }

  /** `ripeAt`: when the next hold ends, or has ended. */
  plan(ripeAt: number | undefined): void {
    this.#isRipe = ripeAt !== undefined && ripeAt <= this.#parts.clock.now();
  }

  /** When the next upkeep is due for any of them. */
  nextAt(ripeAt: number | undefined): number {
    const dueAt = this.#hasSpilled ? this.#parts.clock.now() : (ripeAt ?? Number.POSITIVE_INFINITY);
    const skippedUntil = this.#skipped === 0 ? Number.POSITIVE_INFINITY : this.#skippedUntil;
    return Math.min(this.#isResting ? this.#restsUntil : dueAt, skippedUntil);
  }

  /** Those that go along with a round, or with its calls' writes alone. */
  take(isWriting: boolean): readonly InternalWrite[] {
    if (this.#isResting) return [];
    const { context } = this.#parts;
    const chores = [...(this.#hasSpilled ? [this.#settling()] : []), ...(this.#isRipe ? [this.#maturing()] : [])];
    if (context.keyUse.isPending) {
      // A call that only reads, such as one for readiness, is not followed by a write of its own.
      if (isWriting || chores.length > 0 || this.#isKeyUseDue) chores.push(context.keyUse.chore());
      else this.#comeAgain(pauseMs);
    }
    this.#isKeyUseDue = false;
    this.#isRipe = false;
    return chores;
  }

  /** A round that had some of them is done. */
  passed(): void {
    this.#setbacks = 0;
    this.#share = Math.min(1, this.#share + growth);
  }

  /** A round that had some of them failed, and nobody knows by whose fault. */
  putOff(error: unknown): void {
    const pause = Math.min(longestPauseMs, pauseMs * 2 ** this.#setbacks);
    this.#setbacks += 1;
    this.#share /= 2;
    this.#rest(pause);
    this.#parts.context.report("ledger.chores_put_off", error);
  }

  /** After a rest: what was put off, each alone. */
  async oneByOne(alone: Alone): Promise<void> {
    if (!this.#isResting || this.#parts.clock.now() < this.#restsUntil) return;
    const insistent: Alone = async (about, writesOf) => this.#judge(about, await alone(about, writesOf));
    const isThrough =
      (await this.#settleOneByOne(insistent)) &&
      (await this.#writeKeyUse(insistent)) &&
      (await this.#matureOneByOne(insistent));
    if (!isThrough) return this.#rest(pauseMs);
    this.#isResting = false;
    this.#unanswered.clear();
  }

  #judge(about: string, tried: Tried): Tried {
    const times = (this.#unanswered.get(about) ?? 0) + 1;
    this.#unanswered.delete(about);
    if (tried !== "unanswered") return tried;
    if (times >= maxUnanswered) return "refused";
    this.#unanswered.set(about, times);
    return tried;
  }

  async #settleOneByOne(alone: Alone): Promise<boolean> {
    let isThrough = true;
    for (const spilled of this.#parts.spill.oldest(maxClicksAtOnce)) {
      const { click } = spilled;
      const tried = await alone(click.clickId, ({ newId }) => writesOfClick({ ...click, id: newId("clicks") }));
      if (tried === "untried") return false;
      if (tried === "done") this.#release([spilled]);
      else if (tried === "refused") this.#setAside(spilled, new Error("the database does not manage a click"));
      else isThrough = false;
    }
    return isThrough;
  }

  async #writeKeyUse(alone: Alone): Promise<boolean> {
    const { keyUse } = this.#parts.context;
    if (!keyUse.isPending) return true;
    const chore = keyUse.chore();
    const tried = await alone("key use", () => chore.writes);
    if (tried === "done") chore.done();
    if (tried === "refused") chore.refused(0);
    return tried === "done" || tried === "refused";
  }

  async #matureOneByOne(alone: Alone): Promise<boolean> {
    const { clock, context } = this.#parts;
    for (let i = 0; i < maxMaturedOneByOne && this.#isRipe; i += 1) {
      const one = { at: clock.now(), limit: 1, skip: this.#skipped };
      const tried = await alone("maturing", () => [approveDueCommissions(one)]);
      if (tried === "untried" || tried === "unanswered") return false;
      if (tried === "done") continue;
      this.#skipped += 1;
      this.#skippedUntil = clock.now() + hourMs;
      context.report("ledger.maturing_refused", new Error("the database does not manage to mature a commission"));
    }
    return true;
  }

  #rest(pause: number): void {
    this.#isResting = true;
    this.#restsUntil = this.#parts.clock.now() + pause;
    this.#comeAgain(pause);
  }

  #comeAgain(pause: number): void {
    void this.#parts.alarm.arm(this.#parts.clock.now() + pause);
  }

  #settling(): InternalWrite {
    const settled = this.#oldest().flatMap((spilled) => {
      const writes = this.#writesOf(spilled);
      return writes === undefined ? [] : [{ ...spilled, writes }];
    });
    return {
      writes: settled.flatMap(({ writes }) => writes),
      done: () => this.#release(settled),
      refused: (index) => this.#setAside(ownerOf(settled, index).owner, new Error("the database refuses a click")),
    };
  }

  #oldest(): readonly Spilled[] {
    try {
      return this.#parts.spill.oldest(Math.ceil(maxClicksAtOnce * this.#share));
    } catch (error) {
      this.#isStuckBy("ledger.spilled_clicks_not_read", error);
      return [];
    }
  }

  /** Undefined, and the click is out of the way, where it is none that the present release can write. */
  #writesOf(spilled: Spilled): readonly Write[] | undefined {
    try {
      return writesOfClick({ ...spilled.click, id: this.#parts.context.newId("clicks") });
    } catch (error) {
      this.#setAside(spilled, error);
      return undefined;
    }
  }

  /** Clicks that stay, since that storage fails, are settled again later, which changes nothing. */
  #release(settled: readonly Spilled[]): void {
    try {
      this.#parts.spill.release(settled.map(({ seq }) => seq));
    } catch (error) {
      this.#isStuckBy("ledger.spilled_clicks_not_released", error);
    }
  }

  #setAside({ seq, click }: Spilled, error: unknown): void {
    this.#parts.context.report("ledger.spilled_click_refused", error, click.clickId);
    try {
      this.#parts.spill.setAside(seq);
    } catch (fault) {
      this.#isStuckBy("ledger.spilled_click_not_set_aside", fault);
    }
  }

  #isStuckBy(event: string, error: unknown): void {
    this.#isStuck = true;
    this.#parts.context.report(event, error);
    this.#comeAgain(pauseMs);
  }

  #maturing(): InternalWrite {
    const limit = Math.ceil(maxMaturedAtOnce * this.#share);
    return {
      writes: [approveDueCommissions({ at: this.#parts.clock.now(), limit, skip: this.#skipped })],
      done: () => {},
      refused: () => this.putOff(new Error("the database refuses to mature commissions")),
    };
  }
}
