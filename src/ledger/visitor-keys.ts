import { dateUtc, dayMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Clock } from "#engine/writer.ts";
import type { SpillStorage } from "./spill.ts";

export interface VisitorKeysParts {
  readonly sql: SpillStorage;
  readonly clock: Pick<Clock, "now">;
  /** Creates a key of 256 random bits. */
  newKey(): string;
  onCreated(expiresAt: number): void;
  report(event: string, error: unknown): void;
}

const retryDeletionMs = 60_000;

/** The tables in the Ledger's storage that contain keys of visitor digests. */
export const visitorKeyTables = ["adopted_visitor_keys", "visitor_keys"] as const;

/**
 * The keys of visitor digests, one for each UTC day. A key is created on first use, and deleted at the end of the day
 * after its own. From then on, the digests of its day can't be matched to an IP address.
 */
export class VisitorKeys {
  readonly #parts: VisitorKeysParts;
  readonly #keys: Map<string, string>;
  /** Keys of programs that were migrated to this shard, by program and day. */
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

  /** `day` is "YYYY-MM-DD" in UTC. Returns a key only for yesterday, today and, because clocks differ, tomorrow. */
  of(day: string, programId?: ProgramId): string | undefined {
    this.deleteExpired();
    const now = this.#parts.clock.now();
    if (endOfFollowingDay(day) <= now || day > dateUtc(now + dayMs)) return undefined;
    return this.#adopted.get(`${programId} ${day}`) ?? this.#keys.get(day) ?? this.#create(day);
  }

  /** The current keys for a program's visitors. They are sent to the shard that the program is migrated to. */
  keysOf(programId: ProgramId): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#keys.keys()].map((day) => [day, this.of(day, programId) ?? ""]));
  }

  /**
   * Stores the keys of a program that was migrated to this shard. `of` also creates this shard's own key of the day,
   * because deleting that key deletes the adopted keys of the day as well.
   */
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

  /** If the storage is full, the key is lost with this instance, and visitors of the day are counted again. */
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
      for (const table of visitorKeyTables) {
        // The key is overwritten first, because the bytes of a deleted row can stay readable in the file.
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
