import { DatabaseSync } from "node:sqlite";

export interface HostClock {
  now(): number;
  /** Milliseconds since a fixed instant, unaffected by changes of the clock. */
  elapsed(): number;
  /** Starts a timer, and returns a function that stops it. */
  setTimer(run: () => void, delayMs: number): () => void;
}

export const hostClock: HostClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimer(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The longest timer. Timers stop while the machine sleeps, and can't be longer than 2^31 ms. */
const longestWaitMs = 60_000;
/** Smaller changes of the clock are corrections by a time service, and are ignored. */
const minSetMs = 1_000;
const nsOfMs = 1_000_000n;
const firstRetryMs = 2_000;
const maxRetries = 6;
/**
 * The maximum number of doublings of the pause between retries. 2 s doubled nine times is about 17 minutes. While an
 * object's file can't be written, its alarm is retried at least every 16 s.
 */
const maxDoublings = { thrown: 9, reset: 9, not_stored: 3 } as const;

/**
 * The result of an alarm's handler. `again` is the reason to run it again: the handler threw, its object was reset, or
 * the object's file can't be written. Only `thrown` counts as a try.
 */
export type Rung = { readonly next: number | undefined } | { readonly again: keyof typeof maxDoublings };

interface Scheduled {
  readonly name: string | undefined;
  at: number;
  /**
   * The instant at which the alarm rings: later than `at` while it waits for a retry, and earlier after the clock was
   * set back.
   */
  dueAt: number;
  isRinging: boolean;
  thrown: number;
  doublings: number;
}

export interface AlarmsOptions {
  readonly file: string;
  readonly clock: HostClock;
  ring(id: string, name: string | undefined, at: number): Promise<Rung>;
  /** Called when no retries are left. */
  giveUp(id: string, name: string | undefined): void;
}

/**
 * Stores when to wake the objects of a class, in one file in workerd's format, so that the objects' own files needn't
 * be opened. If an object's own file has another time, that time applies. It may be later than the time here, but never
 * earlier.
 */
export class Alarms {
  readonly #options: AlarmsOptions;
  readonly #db: DatabaseSync;
  readonly #scheduled = new Map<string, Scheduled>();
  #stopTimer: () => void = () => {};
  #timerAt = Number.POSITIVE_INFINITY;
  /** The difference between the clock and the elapsed time when they were last compared (ms). */
  #ahead: number;
  #isStarted = false;
  #isDurable = false;

  constructor(options: AlarmsOptions) {
    this.#options = options;
    this.#ahead = options.clock.now() - options.clock.elapsed();
    this.#db = new DatabaseSync(options.file);
    this.#db.exec(`pragma journal_mode = wal;
      create table if not exists _cf_ALARM (
        actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT
      ) WITHOUT ROWID`);
    const rows = this.#db.prepare(
      `select actor_id, scheduled_time / ${nsOfMs} as at, actor_name from _cf_ALARM where scheduled_time is not null`,
    );
    for (const { actor_id: id, at, actor_name: name } of rows.iterate()) {
      this.#schedule(String(id), name === null ? undefined : String(name), Number(at));
    }
  }

  /** Starts to ring alarms. */
  start(): void {
    this.#isStarted = true;
    this.#wait();
  }

  stop(): void {
    this.#isStarted = false;
    this.#endTimer();
  }

  #endTimer(): void {
    this.#stopTimer();
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  close(): void {
    this.stop();
    this.#db.close();
  }

  /** Stores an earlier time durably at once, because the object's own file is stored right afterwards. */
  setEarlier(id: string, name: string | undefined, at: number): void {
    this.#store(id, name, at, true);
    this.#change(id, name, at);
  }

  /**
   * Stores a later time. If this write is lost, the alarm rings too early. The object then waits for the right time.
   */
  setLater(id: string, name: string | undefined, at: number | undefined): void {
    this.#change(id, name, at);
    this.#store(id, name, at, false);
  }

  #store(id: string, name: string | undefined, at: number | undefined, isDurable: boolean): void {
    if (this.#isDurable !== isDurable) this.#db.exec(`pragma synchronous = ${isDurable ? "full" : "normal"}`);
    this.#isDurable = isDurable;
    if (at === undefined) {
      this.#db.prepare("delete from _cf_ALARM where actor_id = ?").run(id);
    } else {
      this.#db
        .prepare(
          `insert into _cf_ALARM values (?, ?, ?) on conflict do update set scheduled_time = excluded.scheduled_time,
          actor_name = coalesce(excluded.actor_name, actor_name)`,
        )
        .run(id, BigInt(at) * nsOfMs, name ?? null);
    }
  }

  #change(id: string, name: string | undefined, at: number | undefined): void {
    const known = this.#scheduled.get(id);
    if (known?.isRinging) known.at = at ?? known.at;
    else if (at === undefined) this.#scheduled.delete(id);
    else this.#schedule(id, name ?? known?.name, at);
  }

  #schedule(id: string, name: string | undefined, at: number): void {
    this.#noticeClock();
    this.#scheduled.set(id, { name, at, dueAt: at, isRinging: false, thrown: 0, doublings: 0 });
    this.#wait();
  }

  /**
   * Detects that the clock was set back, which would delay alarms by the difference. They ring at their original time
   * instead. A handler whose work isn't due yet sets its alarm again.
   */
  #noticeClock(): void {
    const { clock } = this.#options;
    const ahead = clock.now() - clock.elapsed();
    const backMs = this.#ahead - ahead;
    if (backMs > 0 && backMs < minSetMs) return;
    this.#ahead = ahead;
    if (Math.abs(backMs) >= minSetMs) this.#endTimer();
    if (backMs > 0) for (const scheduled of this.#scheduled.values()) scheduled.dueAt -= backMs;
  }

  #wait(): void {
    if (!this.#isStarted) return;
    this.#noticeClock();
    let earliest = Number.POSITIVE_INFINITY;
    for (const { dueAt, isRinging } of this.#scheduled.values()) if (!isRinging) earliest = Math.min(earliest, dueAt);
    const now = this.#options.clock.now();
    const timerAt = Math.max(now, Math.min(earliest, now + longestWaitMs));
    if (this.#timerAt <= timerAt) return;
    this.#stopTimer();
    this.#timerAt = timerAt;
    this.#stopTimer = this.#options.clock.setTimer(() => this.#ringDue(), timerAt - now);
  }

  #ringDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#noticeClock();
    const now = this.#options.clock.now();
    for (const [id, scheduled] of this.#scheduled) {
      if (!scheduled.isRinging && scheduled.dueAt <= now) void this.#ring(id, scheduled);
    }
    this.#wait();
  }

  /** Rings an alarm. Never rejects. */
  async #ring(id: string, scheduled: Scheduled): Promise<void> {
    scheduled.isRinging = true;
    const rung = await this.#options.ring(id, scheduled.name, scheduled.at);
    scheduled.isRinging = false;
    if (!this.#isStarted) return;
    if ("next" in rung) this.#change(id, scheduled.name, rung.next);
    else if (scheduled.thrown + Number(rung.again === "thrown") > maxRetries) this.#giveUp(id, scheduled);
    else this.#retry(scheduled, rung.again);
    this.#wait();
  }

  #retry(scheduled: Scheduled, again: keyof typeof maxDoublings): void {
    if (again === "thrown") scheduled.thrown += 1;
    const doublings = Math.min(scheduled.doublings, maxDoublings[again]);
    scheduled.dueAt = this.#options.clock.now() + firstRetryMs * 2 ** doublings;
    scheduled.doublings = doublings + 1;
  }

  #giveUp(id: string, { name }: Scheduled): void {
    this.#scheduled.delete(id);
    this.#options.giveUp(id, name);
  }
}
