import { hostOf } from "#domain/code-owner.ts";
import { blockedHostOf } from "#domain/signals.ts";
import type { Duty, DutyParts, InternalWrite, SubmitIsolated, Taking } from "#engine/duty.ts";
import type { Context } from "#operations/operation.ts";
import { writesForClick } from "#operations/track/record-click.ts";
import type { ClickRow } from "#store/clicks.ts";
import type { raiseBlockedSources } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import { fillInSub } from "#store/sub-ids.ts";
import type { Spill, Spilled } from "./spill.ts";

const maxClicksPerBatch = 100;

/**
 * `ofSignal` raises the signal of a blocked referrer. These writes are placed after those of the round's calls, because
 * sales may already be attributed by the click.
 */
interface WritesOfClick {
  readonly ofClick: readonly Write[];
  readonly ofSignal: readonly Write[];
}

/** Writes the clicks that were stored during a database outage. */
export class KeptClicks implements Duty {
  readonly name = "kept clicks";
  readonly #spill: Spill;
  readonly #newId: Context["newId"];
  readonly #settings: Context["settings"];
  readonly #parts: DutyParts;
  #raise: typeof raiseBlockedSources | undefined;
  /**
   * True while the module is loading. The duty isn't due then: a due duty that writes nothing would keep the loop
   * running.
   */
  #isLoading = false;
  /** True if the object's storage failed. The clicks are written again at the next maintenance run. */
  #isBlocked = false;

  constructor(spill: Spill, { newId, settings }: Pick<Context, "newId" | "settings">, parts: DutyParts) {
    this.#spill = spill;
    this.#settings = settings;
    this.#newId = newId;
    this.#parts = parts;
  }

  begin(): undefined {
    this.#isBlocked = false;
    if (!this.#spill.isEmpty) void this.#load();
  }

  /** Loaded on first use, because most Ledgers never store a click. */
  async #load(): Promise<void> {
    if (this.#raise !== undefined || this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#raise = (await import("#store/signals.ts")).raiseBlockedSources;
      this.#parts.ringSoon();
    } catch (error) {
      this.#block("ledger.signals_not_loaded", error);
    } finally {
      this.#isLoading = false;
    }
  }

  get isDue(): boolean {
    return !this.#isBlocked && !this.#isLoading && !this.#spill.isEmpty;
  }

  get nextAt(): number | undefined {
    return this.isDue ? this.#parts.clock.now() : undefined;
  }

  take({ share }: Taking): InternalWrite | undefined {
    const oldest = this.#oldest(Math.ceil(maxClicksPerBatch * share));
    if (this.#raise === undefined && oldest.some(({ click }) => this.#hostOf(click) !== undefined)) {
      void this.#load();
      return undefined;
    }
    const flushed = oldest.flatMap((spilled) => {
      const writes = this.#writesOf(spilled);
      return writes === undefined ? [] : [{ ...spilled, ...writes }];
    });
    return {
      mark: oldest.map(({ seq }) => seq).join(),
      writes: flushed.flatMap(({ ofClick }) => ofClick),
      afterCalls: flushed.flatMap(({ ofSignal }) => ofSignal),
      onCommitted: () => this.#release(flushed),
      onRefused: (write) => {
        const refused = flushed.find(({ ofClick, ofSignal }) => [...ofClick, ...ofSignal].includes(write));
        if (refused !== undefined) this.#setAside(refused, new Error("the database refused a click"));
      },
    };
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    if (this.#raise === undefined) return this.#spill.isEmpty;
    let isComplete = true;
    for (const spilled of this.#spill.oldest(maxClicksPerBatch)) {
      const { click } = spilled;
      const outcome = await submit(click.clickId, () => Object.values(this.#write(click)).flat());
      if (outcome === "untried") return false;
      if (outcome === "done") this.#release([spilled]);
      else if (outcome === "refused") this.#setAside(spilled, new Error("the write of a single click failed"));
      else isComplete = false;
    }
    return isComplete;
  }

  #oldest(limit: number): readonly Spilled[] {
    try {
      return this.#spill.oldest(limit);
    } catch (error) {
      this.#block("ledger.spilled_clicks_not_read", error);
      return [];
    }
  }

  #writesOf(spilled: Spilled): WritesOfClick | undefined {
    try {
      return this.#write(spilled.click);
    } catch (error) {
      this.#setAside(spilled, error);
      return undefined;
    }
  }

  #write(spilled: Spilled["click"]): WritesOfClick {
    const click: ClickRow = { ...spilled, id: this.#newId("clicks") };
    const { programId, isTest, clickId } = click;
    const host = this.#hostOf(click);
    const at = this.#parts.clock.now();
    return {
      ofClick: [...writesForClick(click), ...(click.sub === null ? [] : [fillInSub(click)])],
      ofSignal: host === undefined ? [] : (this.#raise?.({ programId, isTest, clickId, host, at }) ?? []),
    };
  }

  /**
   * The host of the referrer if it may be blocked by the program. If the program's settings aren't cached, for example
   * after a restart, any host may be blocked.
   */
  #hostOf({ programId, referrerUrl }: Spilled["click"]): string | undefined {
    const program = this.#settings.program(programId);
    return program === undefined && referrerUrl !== null
      ? hostOf(referrerUrl)
      : blockedHostOf(referrerUrl, program?.blockedHosts ?? []);
  }

  /** Deletes written clicks from the storage. If that fails, they are written again later, which changes nothing. */
  #release(flushed: readonly Spilled[]): void {
    try {
      this.#spill.release(flushed.map(({ seq }) => seq));
    } catch (error) {
      this.#block("ledger.spilled_clicks_not_released", error);
    }
  }

  #setAside({ seq, click }: Spilled, error: unknown): void {
    this.#parts.report("ledger.spilled_click_refused", error, click.clickId);
    try {
      this.#spill.setAside(seq);
    } catch (fault) {
      this.#block("ledger.spilled_click_not_set_aside", fault);
    }
  }

  #block(event: string, error: unknown): void {
    this.#isBlocked = true;
    this.#parts.report(event, error);
    this.#parts.ringSoon();
  }
}
