import type { Need, Settings } from "../operations/operation.ts";
import { type Link, linkByCode, linkById, oldestLinkByCode, type Program, programReads } from "../store/settings.ts";
import type { Read } from "../store/statement.ts";

const maxPrograms = 5_000;
const maxLinks = 50_000;
/** Codes that nobody has: few, for a caller can make up any number. */
const maxUnknown = 5_000;

type CacheKey = string;

const keyOf = (need: Need): CacheKey => {
  switch (need.kind) {
    case "program":
      return `program ${need.programId}`;
    case "link":
      return `link ${need.linkId}`;
    case "code":
      return need.programId === undefined ? `code ${need.codeKey}` : `code ${need.codeKey} ${need.programId}`;
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
interface Wanted {
  readonly need: Need;
  readonly reads: readonly Read<unknown>[];
}

/** What outlives the cache: hears of each program and link as it is filled in, and of programs about to change. */
export interface SettingsMemory {
  remember(setting: Program | Link): void;
  forget(programId: number): void;
}

/**
 * Programs and links as they are: filled and dropped only between the rounds of the one writer, so never stale.
 */
export class SettingsCache implements Settings {
  readonly #programs = new Bounded<Program>(maxPrograms);
  readonly #links = new Bounded<Link>(maxLinks);
  readonly #unknown = new Bounded<null>(maxUnknown);
  readonly #memory: SettingsMemory;

  constructor(memory: SettingsMemory) {
    this.#memory = memory;
  }

  program(programId: number): Program | null | undefined {
    const key = keyOf({ kind: "program", programId });
    return this.#programs.get(key) ?? this.#unknown.get(key);
  }

  link(linkId: number): Link | null | undefined {
    return this.#link({ kind: "link", linkId });
  }

  linkByCode(codeKey: string, programId: number | undefined): Link | null | undefined {
    return this.#link({ kind: "code", codeKey, programId });
  }

  #link(need: Need): Link | null | undefined {
    const key = keyOf(need);
    return this.#links.get(key) ?? this.#unknown.get(key);
  }

  has(need: Need): boolean {
    const key = keyOf(need);
    return this.#programs.has(key) || this.#links.has(key) || this.#unknown.has(key);
  }

  /** What must be read for those needs that are not met. */
  wanted(needs: readonly Need[]): readonly Wanted[] {
    const missing = new Map(needs.filter((need) => !this.has(need)).map((need) => [keyOf(need), need]));
    return [...missing.values()].map((need) => ({ need, reads: readsOf(need) }));
  }

  /** Takes in what the reads of one need found, in their order. */
  learn(need: Need, found: readonly unknown[]): void {
    const key = keyOf(need);
    const setting = need.kind === "program" ? wholeProgram(found) : (found[0] as Link | undefined);
    if (setting === undefined) {
      this.#unknown.set(key, null);
      return;
    }
    if ("keys" in setting) this.#programs.set(key, setting);
    else this.#links.set(key, setting);
    this.#memory.remember(setting);
  }

  /** Lets go of everything of a program, before it changes. */
  forget(programId: number): void {
    this.#programs.delete(keyOf({ kind: "program", programId }));
    for (const [key, link] of this.#links) if (link.programId === programId) this.#links.delete(key);
    this.#unknown.clear();
    this.#memory.forget(programId);
  }

  clear(): void {
    this.#programs.clear();
    this.#links.clear();
    this.#unknown.clear();
  }
}

function readsOf(need: Need): readonly Read<unknown>[] {
  switch (need.kind) {
    case "program": {
      const { row, keys, policies } = programReads(need.programId);
      return [row, keys, policies];
    }
    case "link":
      return [linkById({ id: need.linkId })];
    case "code":
      return need.programId === undefined
        ? [oldestLinkByCode({ codeKey: need.codeKey })]
        : [linkByCode({ codeKey: need.codeKey, programId: need.programId })];
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
