import type { ProgramId } from "#domain/ids.ts";
import type { Settings } from "#operations/operation.ts";
import { emptyClick, eventWindowMs } from "#store/clicks.ts";
import type { WriterPosition } from "#store/fenced-row.ts";
import type { Link, Program } from "#store/settings.ts";
import type { SpilledClick, SpilledClicks } from "./rpc.ts";
import type { SettingsMemory } from "./settings-cache.ts";

const maxSpilled = 1_000_000;

/**
 * States of a stored click. `refused`: the database refused it, so it was set aside. `held`: its program is being
 * migrated.
 */
const states = { waiting: 0, refused: 1, held: 2 } as const;

/** Computed from the stored JSON, so that no column is needed. */
const partnerOfLink = "json_extract(settings, '$.partnerId')";
const linkOfClick = "json_extract(click, '$.linkId')";

export interface Spilled {
  readonly seq: number;
  readonly click: SpilledClick;
}

const tableOf = (setting: Program | Link) => ("keys" in setting ? "programs" : "links");
const nameOf = (setting: Program | Link) => `${tableOf(setting)} ${setting.id}`;
const programOf = (setting: Program | Link) => ("keys" in setting ? setting.id : setting.programId);

const spilledOf = ({ seq, click }: { readonly seq: number; readonly click: string }): Spilled => ({
  seq,
  click: { ...emptyClick, ...(JSON.parse(click) as SpilledClick) },
});

export interface SpillStorage {
  exec<T extends Record<string, SqlStorageValue>>(
    query: string,
    ...bindings: (string | number | null)[]
  ): Pick<SqlStorageCursor<T>, "toArray">;
}

/**
 * The object's own durable storage, used during database outages. It has copies of programs and links, and the clicks
 * that were accepted during an outage. Everything written to it is durable before an answer leaves the object.
 */
export class Spill implements SettingsMemory {
  readonly #sql: SpillStorage;
  readonly #capacity: number;
  #waiting: number;
  #setAside: number;
  #held: number;
  /** Outdated settings that couldn't be deleted, each with its program. */
  readonly #outdated = new Map<string, number>();
  #isAllOutdated = false;
  /** An epoch that couldn't be stored yet. Settings must not be copied under an earlier epoch. */
  #epochToStore: number | undefined;

  constructor(sql: SpillStorage, capacity = maxSpilled) {
    this.#sql = sql;
    this.#capacity = capacity;
    sql.exec(`
      create table if not exists programs (id integer primary key, settings text not null);
      create table if not exists links (
        id integer primary key, program_id integer not null, code_key text not null, settings text not null
      );
      create index if not exists links_code on links (code_key, program_id);
      create index if not exists links_partner on links (program_id, ${partnerOfLink});
      create table if not exists doubted (program_id integer primary key);
      create table if not exists doubted_places (program_id integer primary key);
      create table if not exists places (id integer primary key, epoch integer not null, seq integer not null);
      create table if not exists clicks (
        seq integer primary key autoincrement, program_id integer not null, event_id text, click_id text not null,
        click text not null, state integer not null default 0
      );
      create unique index if not exists clicks_link_event on clicks (program_id, ${linkOfClick}, event_id)
        where event_id is not null;
    `);
    const [kept] = sql
      .exec<{ waiting: number; refused: number; held: number }>(
        `select total(state = ${states.waiting}) as waiting, total(state = ${states.refused}) as refused,
          total(state = ${states.held}) as held from clicks`,
      )
      .toArray();
    this.#waiting = kept?.waiting ?? 0;
    this.#setAside = kept?.refused ?? 0;
    this.#held = kept?.held ?? 0;
  }

  remember(setting: Program | Link, seq: number): void {
    if (this.#epochToStore !== undefined) this.beginEpoch(this.#epochToStore);
    const text = JSON.stringify(setting);
    const changed =
      "keys" in setting
        ? this.#sql.exec(
            "insert into programs values (?, ?) on conflict do update set settings = excluded.settings where settings <> excluded.settings returning id",
            setting.id,
            text,
          )
        : this.#sql.exec(
            "insert into links values (?, ?, ?, ?) on conflict do update set settings = excluded.settings where settings <> excluded.settings returning id",
            setting.id,
            setting.programId,
            setting.code.toLowerCase(),
            text,
          );
    if (changed.toArray().length > 0) this.#sql.exec("update places set seq = max(seq, ?)", seq);
    this.#outdated.delete(nameOf(setting));
  }

  forget(setting: Program | Link): void {
    try {
      this.#sql.exec(`delete from ${tableOf(setting)} where id = ?`, setting.id);
    } catch {
      this.#outdated.set(nameOf(setting), programOf(setting));
    }
  }

  linksOf({ programId, partnerId }: Parameters<SettingsMemory["linksOf"]>[0]): readonly number[] {
    return this.#sql
      .exec<{ id: number }>(`select id from links where program_id = ? and ${partnerOfLink} = ?`, programId, partnerId)
      .toArray()
      .map(({ id }) => id);
  }

  doubt(programId: ProgramId, mayHaveMoved: boolean): void {
    this.#sql.exec("insert or ignore into doubted values (?)", programId);
    if (mayHaveMoved) this.#sql.exec("insert or ignore into doubted_places values (?)", programId);
  }

  /** True if the outcome of a step of the program's migration is unknown. */
  mayHaveMoved(programId: ProgramId): boolean {
    return this.#sql.exec("select 1 from doubted_places where program_id = ?", programId).toArray().length > 0;
  }

  trust(programId: ProgramId): void {
    // As long as any copy of the program's settings is outdated, the program stays marked, so that the next instance
    // drops the copy as well.
    for (const outdatedOf of this.#outdated.values()) if (outdatedOf === programId) return;
    for (const table of ["doubted", "doubted_places"]) {
      this.#sql.exec(`delete from ${table} where program_id = ?`, programId);
    }
  }

  forgetDoubted(): readonly number[] {
    const doubted = this.#sql
      .exec<{ id: number }>("select program_id as id from doubted")
      .toArray()
      .map(({ id }) => id);
    if (doubted.length === 0) return [];
    this.#sql.exec("delete from programs where id in (select program_id from doubted)");
    this.#sql.exec("delete from links where program_id in (select program_id from doubted)");
    for (const table of ["doubted", "doubted_places"]) this.#sql.exec(`delete from ${table}`);
    return doubted;
  }

  forgetAll(): void {
    this.#isAllOutdated = true;
    for (const table of ["programs", "links", "doubted", "doubted_places"]) this.#sql.exec(`delete from ${table}`);
    this.#isAllOutdated = false;
    this.#outdated.clear();
  }

  /**
   * The newest batch that any copied setting may come from. The copies are valid only for a database that has the same
   * epoch and this batch. A database that was restored to an earlier batch may lack some of the copied settings.
   */
  get newestBatch(): WriterPosition | undefined {
    return this.#sql.exec<{ epoch: number; seq: number }>("select epoch, seq from places").toArray()[0];
  }

  /** Stores the epoch of a claim. If that fails, the next claim drops all copies. */
  beginEpoch(epoch: number): void {
    this.#epochToStore = epoch;
    if (this.#isAllOutdated) this.forgetAll();
    this.#sql.exec(
      "insert into places values (1, ?, 0) on conflict do update set epoch = excluded.epoch, seq = excluded.seq",
      epoch,
    );
    this.#epochToStore = undefined;
  }

  /** The copied settings. A setting without a copy is undefined, never null, because it may exist. */
  readonly settings: Settings = {
    program: (programId) => this.#setting<Program>("select settings from programs where id = ?", programId),
    link: (linkId) => this.#setting<Link>("select settings from links where id = ?", linkId),
    linkByCode: (codeKey, programId) =>
      this.#setting<Link>("select settings from links where code_key = ? and program_id = ?", codeKey, programId),
    // Programs without a copy may have the code too.
    codeOwners: () => undefined,
    // Clicks don't need policies or memberships.
    policies: () => undefined,
    memberships: () => undefined,
    steps: () => undefined,
  };

  #setting<T extends Program | Link>(query: string, ...bindings: (string | number)[]): T | undefined {
    const [row] = this.#sql.exec<{ settings: string }>(query, ...bindings).toArray();
    const setting = row === undefined ? undefined : (JSON.parse(row.settings) as T);
    const isOutdated = this.#isAllOutdated || (setting !== undefined && this.#outdated.has(nameOf(setting)));
    return isOutdated ? undefined : setting;
  }

  get counts(): Pick<SpilledClicks, "waiting" | "setAside"> {
    return { waiting: this.#waiting, setAside: this.#setAside };
  }

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Stores a click. Returns its id, or the id of an earlier click with the same event. Undefined if the storage is
   * full.
   */
  keep(click: SpilledClick, isHeld = false): string | undefined {
    const { programId, eventId, clickId } = click;
    const earlier = eventId === null ? undefined : this.#findSameEvent(click);
    if (earlier?.isSame) return earlier.clickId;
    if (this.#waiting + this.#held >= this.#capacity) return undefined;
    // The new click takes the event id in the unique index. The JSON of the earlier click still contains the event id.
    if (earlier !== undefined) this.#sql.exec("update clicks set event_id = null where seq = ?", earlier.seq);
    this.#sql.exec(
      "insert into clicks (program_id, event_id, click_id, click, state) values (?, ?, ?, ?, ?)",
      programId,
      eventId,
      clickId,
      JSON.stringify(click),
      isHeld ? states.held : states.waiting,
    );
    if (isHeld) this.#held += 1;
    else this.#waiting += 1;
    return clickId;
  }

  /**
   * Finds a stored click with the same event id on the same link. `isSame` is true if it is recent enough and wasn't
   * set aside.
   */
  #findSameEvent({ programId, linkId, eventId, createdAt }: SpilledClick) {
    const [row] = this.#sql
      .exec<{ seq: number; click_id: string; click: string; state: number }>(
        `select seq, click_id, click, state from clicks where program_id = ? and ${linkOfClick} is ? and event_id = ?`,
        programId,
        linkId,
        eventId,
      )
      .toArray();
    if (row === undefined) return undefined;
    const keptAt = (JSON.parse(row.click) as SpilledClick).createdAt;
    const isSame = row.state !== states.refused && keptAt >= createdAt - eventWindowMs;
    return { seq: row.seq, clickId: row.click_id, isSame };
  }

  oldest(limit: number): readonly Spilled[] {
    return this.#sql
      .exec<{ seq: number; click: string }>(
        `select seq, click from clicks where state = ${states.waiting} order by seq limit ?`,
        limit,
      )
      .toArray()
      .map(spilledOf);
  }

  /** Clicks of a program that is being migrated, oldest first. */
  held(programId: ProgramId, limit: number): readonly Spilled[] {
    return this.#sql
      .exec<{ seq: number; click: string }>(
        `select seq, click from clicks where state = ${states.held} and program_id = ? order by seq limit ?`,
        programId,
        limit,
      )
      .toArray()
      .map(spilledOf);
  }

  get heldPrograms(): readonly ProgramId[] {
    if (this.#held === 0) return [];
    return this.#sql
      .exec<{ id: number }>(`select distinct program_id as id from clicks where state = ${states.held}`)
      .toArray()
      .map(({ id }) => id);
  }

  /** Deletes clicks that the target shard has received. */
  releaseHeld(seqs: readonly number[]): void {
    const query = `delete from clicks where seq = ? and state = ${states.held} returning seq`;
    this.#held -= seqs.reduce((count, seq) => count + this.#sql.exec(query, seq).toArray().length, 0);
  }

  /** Called if the program stays on this shard. Its clicks will be written here. */
  unhold(programId: ProgramId): void {
    const query = `update clicks set state = ${states.waiting} where state = ${states.held} and program_id = ? returning seq`;
    const { length } = this.#sql.exec(query, programId).toArray();
    this.#held -= length;
    this.#waiting += length;
  }

  /** The number of the program's clicks that wait to be written or were set aside. */
  countOf(programId: ProgramId): number {
    const query = `select count(*) as n from clicks where state <> ${states.held} and program_id = ?`;
    return this.#sql.exec<{ n: number }>(query, programId).toArray()[0]?.n ?? 0;
  }

  release(seqs: readonly number[]): void {
    for (const seq of seqs)
      this.#endWait(`delete from clicks where seq = ? and state = ${states.waiting} returning seq`, seq);
  }

  setAside(seq: number): void {
    this.#setAside += this.#endWait(
      `update clicks set state = ${states.refused} where seq = ? and state = ${states.waiting} returning seq`,
      seq,
    );
  }

  list(after: number, limit: number): SpilledClicks {
    const clicks = this.#sql
      .exec<{ seq: number; click: string }>(
        `select seq, click from clicks where state = ${states.refused} and seq > ? order by seq limit ?`,
        after,
        limit,
      )
      .toArray()
      .map(({ seq, click }) => ({ id: seq, click: JSON.parse(click) as Readonly<Record<string, unknown>> }));
    return { ...this.counts, clicks };
  }

  retry(): number {
    const retried = this.#sql
      .exec(`update clicks set state = ${states.waiting} where state = ${states.refused} returning seq`)
      .toArray().length;
    this.#waiting += retried;
    this.#setAside -= retried;
    return retried;
  }

  discard(seqs: readonly number[]): number {
    const query = `delete from clicks where seq = ? and state = ${states.refused} returning seq`;
    const discarded = seqs.reduce((count, seq) => count + this.#sql.exec(query, seq).toArray().length, 0);
    this.#setAside -= discarded;
    return discarded;
  }

  #endWait(query: string, seq: number): number {
    const { length } = this.#sql.exec(query, seq).toArray();
    this.#waiting -= length;
    return length;
  }
}
