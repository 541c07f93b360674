import { dateUtc, dayMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Clock } from "#engine/writer.ts";
import type { SpillStorage } from "./spill.ts";

export interface VisitorKeysParts {
  readonly sql: SpillStorage;
  readonly clock: Pick<Clock, "now">;
  /** 256 random bits. */
  newKey(): string;
  onCreated(expiresAt: number): void;
  report(event: string, error: unknown): void;
}

const retryDeletionMs = 60_000;

/**
 * The keys of visitor digests, one for each UTC day. A key is created when it is first used and deleted at the end of the
 * following day: from then on a digest of that day can't be matched to an address.
 */
export class VisitorKeys {
  readonly #parts: VisitorKeysParts;
  readonly #keys: Map<string, string>;
  /** By program and day, of programs that came from another shard. */
  readonly #adopted: Map<string, string>;
  #retryAt = 0;

  constructor(parts: VisitorKeysParts) {
    this.#parts = parts;
    parts.sql.exec("create table if not exists visitor_keys (day text primary key, key text not null)");
    const stored = parts.sql.exec<{ day: string; key: string }>("select day, key from visitor_keys").toArray();
    this.#keys = new Map(stored.map(({ day, key }) => [day, key]));
    parts.sql.exec(
      "create table if not exists adopted_visitor_keys (day text, program_id integer, key text not null, primary key (day, program_id))",
    );
    const adopted = parts.sql
      .exec<{ day: string; program_id: number; key: string }>("select day, program_id, key from adopted_visitor_keys")
      .toArray();
    this.#adopted = new Map(adopted.map(({ day, program_id: programId, key }) => [`${programId} ${day}`, key]));
    this.deleteExpired();
  }

  /** `day`: "YYYY-MM-DD", UTC. Undefined except for yesterday, today and, since clocks differ, tomorrow. */
  of(day: string, programId?: ProgramId): string | undefined {
    this.deleteExpired();
    const now = this.#parts.clock.now();
    if (endOfFollowingDay(day) <= now || day > dateUtc(now + dayMs)) return undefined;
    return this.#adopted.get(`${programId} ${day}`) ?? this.#keys.get(day) ?? this.#create(day);
  }

  /** The current keys of a program's visitors, for the shard it moves to. */
  keysOf(programId: ProgramId): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#keys.keys()].map((day) => [day, this.of(day, programId) ?? ""]));
  }

  /** The day also has a key of its own here, by which all are deleted. */
  adopt(programId: ProgramId, keys: Readonly<Record<string, string>>): void {
    for (const [day, key] of Object.entries(keys)) {
      if (this.of(day) === undefined) continue;
      this.#adopted.set(`${programId} ${day}`, key);
      this.#parts.sql.exec("insert or replace into adopted_visitor_keys values (?, ?, ?)", day, programId, key);
    }
  }

  deleteExpired(): number | undefined {
    const now = this.#parts.clock.now();
    const days = [...this.#keys.keys()];
    if (now >= this.#retryAt) for (const day of days) if (endOfFollowingDay(day) <= now) this.#delete(day, now);
    const next = Math.min(...[...this.#keys.keys()].map((day) => Math.max(endOfFollowingDay(day), this.#retryAt)));
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** If the storage is full, the key ends with this instance, and the day's visitors count as new. */
  #create(day: string): string {
    const key = this.#parts.newKey();
    this.#keys.set(day, key);
    try {
      this.#parts.sql.exec("insert into visitor_keys values (?, ?)", day, key);
    } catch (error) {
      this.#parts.report("ledger.visitor_key_not_stored", error);
    }
    this.#parts.onCreated(endOfFollowingDay(day));
    return key;
  }

  #delete(day: string, now: number): void {
    try {
      for (const table of ["adopted_visitor_keys", "visitor_keys"]) {
        // The bytes of a deleted row can stay readable in the file.
        this.#parts.sql.exec(`update ${table} set key = ? where day = ?`, "0".repeat(43), day);
        this.#parts.sql.exec(`delete from ${table} where day = ?`, day);
      }
      for (const name of this.#adopted.keys()) if (name.endsWith(` ${day}`)) this.#adopted.delete(name);
      this.#keys.delete(day);
    } catch (error) {
      this.#parts.report("ledger.visitor_key_not_deleted", error);
      this.#retryAt = now + retryDeletionMs;
    }
  }
}

const endOfFollowingDay = (day: string): number => Date.parse(day) + 2 * dayMs;
