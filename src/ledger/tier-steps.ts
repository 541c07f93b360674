import { earliest, hourMs } from "#domain/calendar.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { restAfter } from "#domain/rest.ts";
import { monthsOfPeriod, periodOfDay, stepAt } from "#domain/tiers.ts";
import type { Task } from "#engine/task.ts";
import type { Clock } from "#engine/writer.ts";
import type { Context } from "#operations/operation.ts";
import { type Database, readBatch, readOne } from "#store/database.ts";
import { programsWithBonuses, refreshDue } from "#store/due-bonuses.ts";
import type { Write } from "#store/statement.ts";
import {
  countSales,
  type DueCount,
  dueCounts,
  insertStep,
  nextToCount,
  nextToScan,
  openTierBooks,
  programsWithTiers,
  type StepRow,
  scanPartners,
  setCompared,
  type TierBookRow,
  type VersionOfMonth,
  versionsOfMonths,
} from "#store/tier-work.ts";

const limits = { sales: 200, partners: 100, counts: 100 };
/** The most steps in one run. The Ledger's other background work waits until the run ends. */
const maxStepsPerRun = 50;
const maxMsPerRun = 1_000;
const pauseMs = 5_000;

export interface TierStepsParts {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly database: Pick<Database, "read">;
  readonly newId: Context["newId"];
  isolated(id: string, writesOf: () => readonly Write[]): Task;
  /** Removes a partner's steps from the cache. */
  forgetSteps(programId: ProgramId, partnerId: PartnerId): void;
  report(event: string, error: unknown): void;
}

type Submit = (task: Task) => void;
type State = "begun" | "over" | "away";

type NewStep = Omit<StepRow, "number" | "at">;

/** The writes for one program. `number` is undefined if there are no new steps. */
interface Work {
  readonly programId: ProgramId;
  readonly steps: readonly NewStep[];
  writes(at: number, number: number | undefined): readonly Write[];
}

/**
 * Writes the steps that partners reach, and updates which bonuses are due to them. The writes run in a separate round,
 * with a higher number than all earlier ledger entries. A step is written only if the count hasn't changed since it was
 * read.
 */
export class TierSteps {
  readonly #parts: TierStepsParts;
  /** Programs whose writes the database refused. They are retried after an hour. */
  readonly #refused = new Set<ProgramId>();
  #retryAt = 0;

  constructor(parts: TierStepsParts) {
    this.#parts = parts;
  }

  async programs(): Promise<ReadonlySet<ProgramId>> {
    const found = await readOne(this.#parts.database, programsWithTiers({}));
    return new Set(found.map(({ programId }) => programId));
  }

  /** Does a limited part of the work that is due. If work is left, returns the instant at which to continue (ms). */
  async run(submit: Submit): Promise<number | undefined> {
    const { clock } = this.#parts;
    const at = clock.now();
    if (at >= this.#retryAt) this.#refused.clear();
    let state: State = "begun";
    for (let left = maxStepsPerRun; state === "begun" && left > 0 && clock.now() - at < maxMsPerRun; left -= 1) {
      const startedAt = clock.now();
      state = await this.#step(submit);
      if (state === "begun") await clock.sleep(restAfter(clock.now() - startedAt));
    }
    if (state === "away") return clock.now() + pauseMs;
    if (state === "begun") return clock.now();
    return earliest(this.#refused.size > 0 ? this.#retryAt : undefined);
  }

  async #step(submit: Submit): Promise<State> {
    const { database } = this.#parts;
    const skip = JSON.stringify([...this.#refused]);
    const { books, counts } = await readBatch(database, {
      books: openTierBooks({ skip, limit: 1 }),
      counts: dueCounts({ skip, limit: limits.counts }),
    });
    const work = [
      ...(await Promise.all(books.map((book) => this.#continue(book)))),
      ...(counts.length === 0 ? [] : await this.#compare(counts)),
    ];
    if (work.length === 0) return "over";
    return (await this.#write(work, submit)) ? "begun" : "away";
  }

  /**
   * Counts the next part of a book's sales or, once all are counted, compares the next counts with a new policy
   * version.
   */
  async #continue({ programId, isTest, countedFrom: before, countFrom, scannedTo }: TierBookRow): Promise<Work> {
    const { database } = this.#parts;
    const book = { programId, isTest };
    const work = (writes: readonly Write[]) => ({ programId, steps: [], writes: () => writes });
    if (before > countFrom) {
      const span = { ...book, from: countFrom, before };
      const next = await readOne(database, nextToCount({ ...span, skip: limits.sales - 1 }));
      return work(countSales({ ...span, from: next?.from ?? countFrom }));
    }
    const after = scannedTo ?? 0;
    const next = await readOne(database, nextToScan({ ...book, after, limit: limits.partners }));
    return work(scanPartners({ ...book, after, last: next?.last ?? null }));
  }

  async #compare(counts: readonly DueCount[]): Promise<readonly Work[]> {
    const months = counts.map(({ programId, isTest, partnerId, month }) => [programId, isTest, partnerId, month]);
    const distinct = new Map(months.map((month) => [month.join(), month]));
    const programIds = [...new Set(counts.map(({ programId }) => programId))];
    const { found, withBonuses } = await readBatch(this.#parts.database, {
      found: versionsOfMonths({ months: JSON.stringify([...distinct.values()]) }),
      withBonuses: programsWithBonuses({ programs: JSON.stringify(programIds) }),
    });
    const changed = Map.groupBy(newSteps(found), ({ programId }) => programId);
    return [...Map.groupBy(counts, ({ programId }) => programId)].map(([programId, ofProgram]) => {
      const steps = changed.get(programId) ?? [];
      return {
        programId,
        steps,
        writes: (at, number = 0) => [
          ...steps.map((step) => {
            const [first, last] = monthsOfPeriod(step.period);
            return insertStep({ ...step, number, at, first, last });
          }),
          ...(withBonuses.some((each) => each.programId === programId)
            ? refreshDue({ programId, months: liveMonths(ofProgram) })
            : []),
          ...ofProgram.map((count) => setCompared({ ...count })),
        ],
      };
    });
  }

  /**
   * Writes the work of all programs in one round. If the database refuses it, writes the work of each program
   * separately.
   */
  async #write(work: readonly Work[], submit: Submit): Promise<boolean> {
    const outcome = await this.#submit(work, submit);
    if (outcome !== "refused") return outcome === "done";
    if (work.length > 1) {
      for (const each of work) if (!(await this.#write([each], submit))) return false;
      return true;
    }
    const { clock, report } = this.#parts;
    if (this.#refused.size === 0) this.#retryAt = clock.now() + hourMs;
    for (const { programId } of work) this.#refused.add(programId);
    report("ledger.tiers_refused", new Error("the database refused the steps of a program"));
    return true;
  }

  async #submit(work: readonly Work[], submit: Submit): Promise<"done" | "refused" | "away"> {
    const { clock, newId, forgetSteps, isolated } = this.#parts;
    const task = isolated("tiers", () => {
      const steps = work.flatMap((each) => each.steps);
      for (const { programId, partnerId } of steps) forgetSteps(programId, partnerId);
      const number = steps.length === 0 ? undefined : newId("ledgerEntries");
      return work.flatMap(({ writes }) => writes(clock.now(), number));
    });
    submit(task);
    const outcome = await task.outcome;
    if (outcome.ok) return "done";
    return outcome.refusal.code === "internal" ? "refused" : "away";
  }
}

/** The partners and months whose live sales may have reached the threshold of a bonus, or fallen below it. */
const liveMonths = (counts: readonly DueCount[]): string =>
  JSON.stringify(counts.filter(({ isTest }) => !isTest).map(({ partnerId, month }) => [partnerId, month]));

/** Returns the steps that differ from the newest step of their period. */
function newSteps(found: readonly VersionOfMonth[]): readonly NewStep[] {
  const steps = new Map<string, NewStep>();
  for (const { programId, isTest, partnerId, policyId, tiers, month, currency, ...counted } of found) {
    const { metric } = tiers;
    const count = metric === "sales" ? counted.sales : counted.revenueCents;
    const threshold = stepAt(tiers, count)?.threshold ?? 0;
    if (threshold === counted.threshold) continue;
    const period = periodOfDay(tiers.period, `${month}-01`);
    steps.set([programId, isTest, partnerId, policyId, period].join(), {
      programId,
      isTest,
      partnerId,
      policyId,
      metric,
      currency: metric === "revenue" ? currency : null,
      period,
      threshold,
      count,
    });
  }
  return [...steps.values()];
}
