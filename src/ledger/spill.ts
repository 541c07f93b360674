import type { Settings, SettingsChange } from "../operations/operation.ts";
import { type ClickRow, emptyClick, eventWindowMs } from "../store/clicks.ts";
import type { WriterPosition } from "../store/fenced-row.ts";
import type { Link, Program } from "../store/settings.ts";
import type { SpilledClicks } from "./rpc.ts";
import type { SettingsMemory } from "./settings-cache.ts";

/** Clicks that wait beyond this are refused: an object's storage has an end. */
const maxSpilled = 1_000_000;

/** Read from the stored click, so that a table made by an earlier release needs no new column. */
const linkOfClick = "json_extract(click, '$.linkId')";

export type SpilledClick = Omit<ClickRow, "id">;

/** A click as it is kept, by its place in the order. */
export interface Spilled {
  readonly seq: number;
  readonly click: SpilledClick;
}

const tableOf = (setting: Program | Link) => ("keys" in setting ? "programs" : "links");
const placeOf = (setting: Program | Link) => `${tableOf(setting)} ${setting.id}`;
const programOf = (setting: Program | Link) => ("keys" in setting ? setting.id : setting.programId);

/** The part of `SqlStorage` in use. */
export interface SpillStorage {
  exec<T extends Record<string, SqlStorageValue>>(
    query: string,
    ...bindings: (string | number | null)[]
  ): Pick<SqlStorageCursor<T>, "toArray">;
}

/**
 * The object's own durable storage, for when the database is out of reach: the programs and links it has seen, and the
 * clicks that it took meanwhile. A write here is durable before any answer leaves the object.
 */
export class Spill implements SettingsMemory {
  readonly #sql: SpillStorage;
  readonly #capacity: number;
  /** Clicks that wait, without those set aside. */
  #waiting: number;
  #setAside: number;
  /** Settings that are stored as they no longer are, since that storage failed, with their programs. */
  readonly #wrong = new Map<string, number>();
  #isAllWrong = false;
  /** Has yet to be stored; nothing may be remembered under an earlier one. */
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
      create table if not exists doubted (program_id integer primary key);
      drop table if exists claims;
      create table if not exists places (id integer primary key, epoch integer not null, seq integer not null);
      create table if not exists clicks (
        seq integer primary key autoincrement, program_id integer not null, event_id text, click_id text not null,
        click text not null, refused integer not null default 0
      );
      drop index if exists clicks_event;
      create unique index if not exists clicks_link_event on clicks (program_id, ${linkOfClick}, event_id)
        where event_id is not null;
    `);
    const [kept] = sql
      .exec<{ n: number; refused: number }>("select count(*) as n, total(refused) as refused from clicks")
      .toArray();
    this.#setAside = kept?.refused ?? 0;
    this.#waiting = (kept?.n ?? 0) - this.#setAside;
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
    this.#wrong.delete(placeOf(setting));
  }

  forget(setting: Program | Link): void {
    try {
      this.#sql.exec(`delete from ${tableOf(setting)} where id = ?`, setting.id);
    } catch {
      this.#wrong.set(placeOf(setting), programOf(setting));
    }
  }

  linksOf({ programId, partnerId }: Required<SettingsChange>): readonly number[] {
    return this.#sql
      .exec<{ id: number }>(
        "select id from links where program_id = ? and json_extract(settings, '$.partnerId') = ?",
        programId,
        partnerId,
      )
      .toArray()
      .map(({ id }) => id);
  }

  doubt(programId: number): void {
    this.#sql.exec("insert or ignore into doubted values (?)", programId);
  }

  trust(programId: number): void {
    // In doubt it is forgotten by the next instance too.
    for (const wrongOf of this.#wrong.values()) if (wrongOf === programId) return;
    this.#sql.exec("delete from doubted where program_id = ?", programId);
  }

  forgetDoubted(): readonly number[] {
    const doubted = this.#sql
      .exec<{ id: number }>("select program_id as id from doubted")
      .toArray()
      .map(({ id }) => id);
    if (doubted.length === 0) return [];
    this.#sql.exec("delete from programs where id in (select program_id from doubted)");
    this.#sql.exec("delete from links where program_id in (select program_id from doubted)");
    this.#sql.exec("delete from doubted");
    return doubted;
  }

  forgetAll(): void {
    this.#isAllWrong = true;
    for (const table of ["programs", "links", "doubted"]) this.#sql.exec(`delete from ${table}`);
    this.#isAllWrong = false;
    this.#wrong.clear();
  }

  /**
   * What is remembered holds in a database of this epoch that has at least this batch, the newest that any of it may have
   * come from. A database that was restored to an earlier one may lack some of it.
   */
  get place(): WriterPosition | undefined {
    return this.#sql.exec<{ epoch: number; seq: number }>("select epoch, seq from places").toArray()[0];
  }

  /** The object has become the writer, in whatever instance. Where that can't be stored, the next claim forgets all. */
  beginEpoch(epoch: number): void {
    this.#epochToStore = epoch;
    if (this.#isAllWrong) this.forgetAll();
    this.#sql.exec(
      "insert into places values (1, ?, 0) on conflict do update set epoch = excluded.epoch, seq = excluded.seq",
      epoch,
    );
    this.#epochToStore = undefined;
  }

  /** What was remembered. Nothing is ever known to be absent: it may only not have been seen. */
  readonly settings: Settings = {
    program: (programId) => this.#setting<Program>("select settings from programs where id = ?", programId),
    link: (linkId) => this.#setting<Link>("select settings from links where id = ?", linkId),
    linkByCode: (codeKey, programId) =>
      this.#setting<Link>("select settings from links where code_key = ? and program_id = ?", codeKey, programId),
    // Programs that were not seen may have the code too.
    codeOwners: () => undefined,
  };

  #setting<T extends Program | Link>(query: string, ...bindings: (string | number)[]): T | undefined {
    const [row] = this.#sql.exec<{ settings: string }>(query, ...bindings).toArray();
    const setting = row === undefined ? undefined : (JSON.parse(row.settings) as T);
    const isWrong = this.#isAllWrong || (setting !== undefined && this.#wrong.has(placeOf(setting)));
    return isWrong ? undefined : setting;
  }

  get counts(): Pick<SpilledClicks, "waiting" | "setAside"> {
    return { waiting: this.#waiting, setAside: this.#setAside };
  }

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** Keeps a click, and returns the id that its event has. Undefined: there is no room. */
  keep(click: SpilledClick): string | undefined {
    const { programId, eventId, clickId } = click;
    const earlier = eventId === null ? undefined : this.#ofEvent(click);
    if (earlier?.stands) return earlier.clickId;
    if (this.#waiting >= this.#capacity) return undefined;
    // Its place among the events is another's from now on; the click itself is text, and stays whole.
    if (earlier !== undefined) this.#sql.exec("update clicks set event_id = null where seq = ?", earlier.seq);
    this.#sql.exec(
      "insert into clicks (program_id, event_id, click_id, click) values (?, ?, ?, ?)",
      programId,
      eventId,
      clickId,
      JSON.stringify(click),
    );
    this.#waiting += 1;
    return clickId;
  }

  /** The kept click of the same event on the same link, and whether it stands for this one: in time, and not set aside. */
  #ofEvent({ programId, linkId, eventId, createdAt }: SpilledClick) {
    const [row] = this.#sql
      .exec<{ seq: number; click_id: string; click: string; refused: number }>(
        `select seq, click_id, click, refused from clicks where program_id = ? and ${linkOfClick} is ? and event_id = ?`,
        programId,
        linkId,
        eventId,
      )
      .toArray();
    if (row === undefined) return undefined;
    const keptAt = (JSON.parse(row.click) as SpilledClick).createdAt;
    const stands = row.refused === 0 && keptAt >= createdAt - eventWindowMs;
    return { seq: row.seq, clickId: row.click_id, stands };
  }

  /** The oldest, to be settled. */
  oldest(limit: number): readonly Spilled[] {
    return this.#sql
      .exec<{ seq: number; click: string }>(
        "select seq, click from clicks where refused = 0 order by seq limit ?",
        limit,
      )
      .toArray()
      .map(({ seq, click }) => ({ seq, click: { ...emptyClick, ...(JSON.parse(click) as SpilledClick) } }));
  }

  /** Lets go of clicks that the database has. */
  release(seqs: readonly number[]): void {
    for (const seq of seqs) this.#noLongerWaits("delete from clicks where seq = ? and refused = 0 returning seq", seq);
  }

  /** Sets aside a click that can't be written, so that those behind it go on; it is kept. */
  setAside(seq: number): void {
    this.#setAside += this.#noLongerWaits(
      "update clicks set refused = 1 where seq = ? and refused = 0 returning seq",
      seq,
    );
  }

  /** Those set aside after an id, the oldest first, and how many there are in all. */
  list(after: number, limit: number): SpilledClicks {
    const clicks = this.#sql
      .exec<{ seq: number; click: string }>(
        "select seq, click from clicks where refused = 1 and seq > ? order by seq limit ?",
        after,
        limit,
      )
      .toArray()
      .map(({ seq, click }) => ({ id: seq, click: JSON.parse(click) as Readonly<Record<string, unknown>> }));
    return { ...this.counts, clicks };
  }

  /** Those set aside wait again. Returns how many. */
  retry(): number {
    const retried = this.#sql.exec("update clicks set refused = 0 where refused = 1 returning seq").toArray().length;
    this.#waiting += retried;
    this.#setAside -= retried;
    return retried;
  }

  /** Deletes those of them that are set aside. Returns how many. */
  discard(seqs: readonly number[]): number {
    const query = "delete from clicks where seq = ? and refused = 1 returning seq";
    const discarded = seqs.reduce((count, seq) => count + this.#sql.exec(query, seq).toArray().length, 0);
    this.#setAside -= discarded;
    return discarded;
  }

  /** Returns how many there were. */
  #noLongerWaits(query: string, seq: number): number {
    const { length } = this.#sql.exec(query, seq).toArray();
    this.#waiting -= length;
    return length;
  }
}
