import { type CodeOwner, hostOf } from "../domain/code-owner.ts";
import type { SettingRef, Settings, SettingsChange } from "../operations/operation.ts";
import {
  type Link,
  type LinkWithSites,
  linkByCode,
  linkById,
  linksByCode,
  type Program,
  programReads,
} from "../store/settings.ts";
import type { Read } from "../store/statement.ts";

const maxPrograms = 5_000;
const maxLinks = 50_000;
/** Codes that nobody has: few, for a caller can make up any number. */
const maxUnknown = 5_000;
/** Codes that were looked up without a program, and that one program has. */
const maxOwnedCodes = 5_000;
/** The same of codes that several programs have: few, for each holds the hosts of up to 100 programs. */
const maxSharedCodes = 200;

type CacheKey = string;

const keyOf = (need: SettingRef): CacheKey => {
  switch (need.kind) {
    case "program":
      return `program ${need.programId}`;
    case "link":
      return `link ${need.linkId}`;
    case "code":
      return `code ${need.codeKey} ${need.programId}`;
    case "owners":
      return `owners ${need.codeKey}`;
  }
};

/** Keeps the newest, up to a limit. */
class Bounded<T> extends Map<CacheKey, T> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: CacheKey, value: T): this {
    super.set(key, value);
    if (this.size > this.#limit) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return this;
  }
}

/** Reads that together bring one setting. */
export interface Wanted {
  readonly need: SettingRef;
  readonly reads: readonly Read<unknown>[];
}

/** What outlives the cache, for when the database is out of reach: hears of each program and link as it is filled in. */
export interface SettingsMemory {
  /** `seq` is the number of the last batch that the read may have seen. */
  remember(setting: Program | Link, seq: number): void;
  /** One that could not be remembered: what is remembered of it is not to be used, even where it can't be deleted. */
  forget(setting: Program | Link): void;
  /** Those remembered of a partner, by their ids. */
  linksOf(partner: Required<SettingsChange>): readonly number[];
  /** A program is about to change. Until its change is known to be done, what is remembered may be out of date. */
  doubt(programId: number): void;
  trust(programId: number): void;
  /** Lets go of the programs in doubt, and their links; returns their ids. */
  forgetDoubted(): readonly number[];
  forgetAll(): void;
}

/**
 * Programs and links as they are: filled and dropped only between the rounds of the one writer, so never stale.
 */
export class SettingsCache implements Settings {
  readonly #programs = new Bounded<Program>(maxPrograms);
  readonly #links = new Bounded<Link>(maxLinks);
  readonly #ownedCodes = new Bounded<readonly CodeOwner[]>(maxOwnedCodes);
  readonly #sharedCodes = new Bounded<readonly CodeOwner[]>(maxSharedCodes);
  readonly #unknown = new Bounded<null>(maxUnknown);
  readonly #all = [this.#programs, this.#links, this.#ownedCodes, this.#sharedCodes, this.#unknown] as const;
  readonly #memory: SettingsMemory;

  readonly #report: (event: string, error: unknown) => void;

  constructor(memory: SettingsMemory, report: (event: string, error: unknown) => void) {
    this.#memory = memory;
    this.#report = report;
  }

  program(programId: number): Program | null | undefined {
    const key = keyOf({ kind: "program", programId });
    return this.#programs.get(key) ?? this.#unknown.get(key);
  }

  link(linkId: number): Link | null | undefined {
    return this.#link({ kind: "link", linkId });
  }

  linkByCode(codeKey: string, programId: number): Link | null | undefined {
    return this.#link({ kind: "code", codeKey, programId });
  }

  codeOwners(codeKey: string): readonly CodeOwner[] | undefined {
    const key = keyOf({ kind: "owners", codeKey });
    return this.#ownedCodes.get(key) ?? this.#sharedCodes.get(key) ?? (this.#unknown.has(key) ? [] : undefined);
  }

  #link(need: SettingRef): Link | null | undefined {
    const key = keyOf(need);
    return this.#links.get(key) ?? this.#unknown.get(key);
  }

  has(need: SettingRef): boolean {
    const key = keyOf(need);
    return this.#all.some((settings) => settings.has(key));
  }

  /** What must be read for those needs that are not met. */
  wanted(needs: readonly SettingRef[]): readonly Wanted[] {
    const missing = new Map(needs.filter((need) => !this.has(need)).map((need) => [keyOf(need), need]));
    return [...missing.values()].map((need) => ({ need, reads: readsOf(need) }));
  }

  /** Takes in what the reads of one need found, in their order; they may have seen the batches up to `seq`. */
  learn(need: SettingRef, found: readonly unknown[], seq: number): void {
    const key = keyOf(need);
    if (need.kind === "owners") {
      this.#learnOwners(need.codeKey, found[0] as readonly LinkWithSites[], seq);
      return;
    }
    const setting = need.kind === "program" ? wholeProgram(found) : (found[0] as Link | undefined);
    if (setting === undefined) {
      this.#unknown.set(key, null);
      return;
    }
    if ("keys" in setting) this.#programs.set(key, setting);
    else this.#links.set(key, setting);
    this.#attempt(
      () => this.#memory.remember(setting, seq),
      () => this.#memory.forget(setting),
    );
  }

  /** Calls are decided by what is at hand: the memory's storage, which may be full, fails none. */
  #attempt(use: () => void, otherwise = (): void => {}): void {
    try {
      use();
    } catch (error) {
      this.#report("ledger.settings_memory_failed", error);
      otherwise();
    }
  }

  #learnOwners(codeKey: string, found: readonly LinkWithSites[], seq: number): void {
    const key = keyOf({ kind: "owners", codeKey });
    const owners = found.map(({ link, websiteUrl, destinationUrl }) => ({
      programId: link.programId,
      hosts: [websiteUrl, destinationUrl].flatMap((url) => hostOf(url ?? "") ?? []),
    }));
    const [first, ...others] = found;
    if (first === undefined) {
      this.#unknown.set(key, null);
    } else if (others.length > 0) {
      this.#sharedCodes.set(key, owners);
    } else {
      this.#ownedCodes.set(key, owners);
      this.learn({ kind: "code", codeKey, programId: first.link.programId }, [first.link], seq);
    }
  }

  /**
   * Lets go of what is about to change. The memory keeps it: while the outcome is unknown the database is out of reach,
   * and clicks are taken by what held before.
   */
  beginChange({ programId, partnerId }: SettingsChange): void {
    this.#memory.doubt(programId);
    this.#programs.delete(keyOf({ kind: "program", programId }));
    for (const [key, link] of this.#links) if (link.partnerId === partnerId) this.#links.delete(key);
    // The program may be about to take any code.
    this.#ownedCodes.clear();
    this.#sharedCodes.clear();
    this.#unknown.clear();
  }

  /** What must be read again once a change is done, so that the memory holds what was known before. */
  wantedAfter({ programId, partnerId }: SettingsChange): readonly Wanted[] {
    const links = partnerId === undefined ? [] : this.#memory.linksOf({ programId, partnerId });
    const needs: readonly SettingRef[] = [
      { kind: "program", programId },
      ...links.map((linkId) => ({ kind: "link", linkId }) as const),
    ];
    return needs.map((need) => ({ need, reads: readsOf(need) }));
  }

  /** What has changed is learned. */
  endChange({ programId }: SettingsChange): void {
    // One that stays in doubt is let go of by the next claim.
    this.#attempt(() => this.#memory.trust(programId));
  }

  /** The database is in reach again, and nobody else has changed settings meanwhile. */
  forgetDoubted(): void {
    this.#attempt(
      () => {
        // Where they stayed here, they would not be read again, and the memory would never have them back.
        const doubted = new Set(this.#memory.forgetDoubted());
        for (const [key, { id }] of this.#programs) if (doubted.has(id)) this.#programs.delete(key);
        for (const [key, { programId }] of this.#links) if (doubted.has(programId)) this.#links.delete(key);
      },
      () => this.clear(),
    );
  }

  clear(): void {
    for (const settings of this.#all) settings.clear();
    this.#attempt(() => this.#memory.forgetAll());
  }
}

function readsOf(need: SettingRef): readonly Read<unknown>[] {
  switch (need.kind) {
    case "program": {
      const { row, keys, policies } = programReads(need.programId);
      return [row, keys, policies];
    }
    case "link":
      return [linkById({ id: need.linkId })];
    case "code":
      return [linkByCode({ codeKey: need.codeKey, programId: need.programId })];
    case "owners":
      return [linksByCode({ codeKey: need.codeKey })];
  }
}

function wholeProgram([row, keys, policies]: readonly unknown[]): Program | undefined {
  if (row === undefined) return undefined;
  return {
    ...(row as Omit<Program, "keys" | "policies">),
    keys: keys as Program["keys"],
    policies: policies as Program["policies"],
  };
}
