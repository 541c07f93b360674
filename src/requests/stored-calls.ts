import { dayMs } from "#domain/calendar.ts";
import type { ErasedForm } from "#domain/erasure.ts";
import { mostRequests, mostUnsignedAMinute, requestsKeptMs } from "#domain/request-log.ts";
import type { LoggedCall, RequestQuery } from "./rpc.ts";

type Value = string | number | null;

/** The part of a Durable Object's SQL API that is used here. */
export interface Sql {
  exec(query: string, ...bindings: Value[]): { toArray(): Readonly<Record<string, SqlStorageValue>>[] };
}

/** A call as stored. Of the customer, it contains only a keyed digest. */
export interface StoredCall extends Omit<LoggedCall, "number"> {
  readonly customerDigest: string | null;
}

type FreeTexts<Row> = {
  [Column in keyof Row as string extends Row[Column] ? Column : never]-?:
    | Extract<ErasedForm, "id" | "text">
    | "nothing";
};

/** The personal data that each text may contain, which determines how an erasure changes it. */
const personal = {
  requestId: "id",
  keyHash: "nothing",
  code: "nothing",
  transactionId: "id",
  customerDigest: "text",
} as const satisfies FreeTexts<StoredCall>;

/** The customer whose data is erased. */
export interface Erasing {
  /** Returns the id without the customer's identifiers. */
  id(id: string): string;
  isTheirs(text: string): boolean;
}

type Texts = Pick<StoredCall, keyof typeof personal>;

const columnsHolding = (form: ErasedForm) =>
  (Object.keys(personal) as (keyof typeof personal)[]).filter((column) => personal[column] === form);
const [ids, texts] = [columnsHolding("id"), columnsHolding("text")];

export function erasedTexts(call: Texts, erasing: Erasing): Partial<Texts> {
  const changed: Partial<Record<keyof Texts, string | null>> = {};
  for (const column of ids) {
    const id = call[column];
    const erased = id && erasing.id(id);
    if (erased !== id) changed[column] = erased;
  }
  for (const column of texts) {
    const text = call[column];
    if (text !== null && erasing.isTheirs(text)) changed[column] = null;
  }
  return changed as Partial<Texts>;
}

/** SQL types by column. */
const types = {
  at: "integer not null",
  requestId: "text not null",
  route: "text not null",
  keyHash: "text",
  status: "integer not null",
  code: "text",
  outcome: "text not null",
  isTest: "integer not null",
  transactionId: "text",
  customerDigest: "text",
} as const satisfies { readonly [Column in keyof StoredCall]: string };
const columns = Object.keys(types) as (keyof StoredCall)[];

const named = (column: string): string => column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const shown = `number, ${columns.map((column) => `${named(column)} as ${column}`).join(", ")}`;

/** A value bound to a statement may have at most 2 MB. */
const rowsAtOnce = 500;
const insertRows = `
  insert into calls (${columns.map(named).join(", ")})
  select ${columns.map((_, i) => `value ->> ${i}`).join(", ")} from json_each(?) order by key`;

const minuteMs = 60_000;
const dayOf = (at: number): number => Math.floor(at / dayMs);

/** Contains each form in which an id may be stored: as sent, and as a pseudonym. */
export type StoredFilter = Omit<RequestQuery["filter"], "requestId" | "transactionId" | "customerKey"> & {
  readonly requestIds?: readonly string[] | undefined;
  readonly transactionIds?: readonly string[] | undefined;
  readonly customerDigest?: string | undefined;
};

/** Stores the newest calls of the last days, and how many others didn't fit. */
export class StoredCalls {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(`
      create table if not exists calls (
        number integer primary key, ${columns.map((column) => `${named(column)} ${types[column]}`).join(", ")}) strict;
      create table if not exists dropped (day integer primary key, calls integer not null) strict`);
  }

  add(calls: readonly StoredCall[]): void {
    const admitted = this.#admitted(calls);
    for (let i = 0; i < admitted.length; i += rowsAtOnce) {
      const rows = admitted.slice(i, i + rowsAtOnce).map((call) => columns.map((column) => bound(call[column])));
      this.#sql.exec(insertRows, JSON.stringify(rows));
    }
  }

  /** Drops calls without a valid key above the limit per minute. */
  #admitted(calls: readonly StoredCall[]): readonly StoredCall[] {
    const admitted: StoredCall[] = [];
    for (const call of calls) {
      const since = call.at - minuteMs;
      const isOneTooMany = () =>
        this.#unsignedSince(since) + admitted.filter(({ keyHash, at }) => keyHash === null && at > since).length >=
        mostUnsignedAMinute;
      if (call.keyHash !== null || !isOneTooMany()) admitted.push(call);
    }
    return admitted;
  }

  #unsignedSince(at: number): number {
    return this.#number("select count(*) as n from calls where key_hash is null and at > ?", at) ?? 0;
  }

  drop(calls: number, at: number): void {
    if (calls > 0) this.#drop(dayOf(at), calls);
  }

  #drop(day: number, calls: number): void {
    this.#sql.exec(
      "insert into dropped (day, calls) values (?, ?) on conflict do update set calls = calls + excluded.calls",
      day,
      calls,
    );
  }

  /**
   * Deletes the oldest calls above the limit. They count as dropped until they would have been deleted for their age.
   */
  keepNewest(now: number): void {
    const left = this.#sql.exec(
      "delete from calls where number <= (select max(number) from calls) - ? returning at",
      mostRequests,
    );
    const fresh = left.toArray().flatMap(({ at }) => (Number(at) >= now - requestsKeptMs ? [Number(at)] : []));
    for (const [day, calls] of Map.groupBy(fresh, dayOf)) this.#drop(day, calls.length);
  }

  /**
   * Deletes calls that are too old. Returns when the oldest remaining call will be too old (ms), or undefined if no
   * call is left.
   */
  removeOld(now: number): number | undefined {
    const since = now - requestsKeptMs;
    this.#sql.exec("delete from calls where at < ?", since);
    this.#sql.exec("delete from dropped where day < ?", dayOf(since));
    const oldest = this.#number("select min(at) as n from calls");
    return oldest && oldest + requestsKeptMs;
  }

  /** Returns the number `n` that the query selects. Undefined if it is null. */
  #number(query: string, ...bindings: Value[]): number | undefined {
    const [row] = this.#sql.exec(query, ...bindings).toArray();
    return row?.n == null ? undefined : Number(row.n);
  }

  droppedSince(at: number): number {
    return this.#number("select sum(calls) as n from dropped where day >= ?", dayOf(at)) ?? 0;
  }

  list(filter: StoredFilter, after: RequestQuery["after"], limit: number): readonly LoggedCall[] {
    const { requestIds, transactionIds, customerDigest, outcome, route, from, to } = filter;
    const conditions: readonly (readonly [string, readonly Value[] | undefined])[] = [
      ["request_id in", requestIds],
      ["transaction_id in", transactionIds],
      ["customer_digest in", customerDigest === undefined ? undefined : [customerDigest]],
      ["outcome in", outcome && [outcome]],
      ["route in", route && [route]],
      ["at >=", from === undefined ? undefined : [from]],
      ["at <", to === undefined ? undefined : [to]],
      ["(at, number) <", after && [after.at, after.number]],
    ];
    const given = conditions.flatMap(([text, values]) => (values === undefined ? [] : [{ text, values }]));
    const where = given.map(({ text, values }) => `${text} (${values.map(() => "?").join(", ")})`).join(" and ");
    const found = this.#sql.exec(
      `select ${shown} from calls where ${where || "true"} order by at desc, number desc limit ?`,
      ...given.flatMap(({ values }) => values),
      limit,
    );
    return found.toArray().map(({ customerDigest: _, ...row }) => loggedCall(row));
  }

  /** Returns the calls that an erasure would change. */
  listPerson(erasing: Erasing): readonly LoggedCall[] {
    return this.#changes(erasing).map(({ call: { customerDigest: _, ...call } }) => call);
  }

  erase(erasing: Erasing): void {
    for (const { call, changes } of this.#changes(erasing)) {
      const changed = Object.entries(changes);
      this.#sql.exec(
        `update calls set ${changed.map(([column]) => `${named(column)} = ?`).join(", ")} where number = ?`,
        ...changed.map(([, text]) => text),
        call.number,
      );
    }
  }

  #changes(erasing: Erasing) {
    const rows = this.#sql.exec(`select ${shown} from calls`).toArray();
    return rows.flatMap((row) => {
      const call = { ...loggedCall(row), customerDigest: row.customerDigest as string | null };
      const changes = erasedTexts(call, erasing);
      return Object.keys(changes).length === 0 ? [] : [{ call, changes }];
    });
  }
}

const bound = (value: StoredCall[keyof StoredCall]): Value => (typeof value === "boolean" ? Number(value) : value);

const loggedCall = (row: Readonly<Record<string, SqlStorageValue>>): LoggedCall =>
  ({ ...row, isTest: row.isTest === 1 }) as unknown as LoggedCall;
