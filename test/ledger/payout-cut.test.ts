import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { idsPerRange } from "#domain/shard.ts";
import { cutAt } from "#store/payout-ranges.ts";
import { statementsIn } from "../../scripts/database/migrate.ts";
import { root } from "../../scripts/root.ts";
import { isWhole } from "../support/breadth.ts";

// A database with only the instants and numbers of two programs, which share a shard or were migrated to it. It has no
// triggers and no foreign keys.

const migrations = join(root, "migrations");
const statements = readdirSync(migrations)
  .sort()
  .flatMap((file) => statementsIn(readFileSync(join(migrations, file), "utf8")));

function emptyBooks(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const statement of statements) database.exec(statement);
  const triggers = database.prepare("select name from sqlite_master where type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`drop trigger "${name}"`);
  database.exec("pragma foreign_keys = off; pragma ignore_check_constraints = on");
  return database;
}

/** Inserts the row. Columns that require a value and have none get a placeholder of their type. */
function insert(database: DatabaseSync, table: string, row: Readonly<Record<string, string | number | null>>): void {
  const columns = database.prepare(
    `select name, type from pragma_table_info('${table}') where "notnull" and dflt_value is null`,
  );
  const needed = columns.all().map(({ name, type }) => [String(name), /int/i.test(String(type)) ? 0 : "x"] as const);
  const values = { ...Object.fromEntries(needed), ...row };
  const names = Object.keys(values);
  const marks = names.map(() => "?").join(", ");
  database.prepare(`insert into ${table} (${names.join(", ")}) values (${marks})`).run(...Object.values(values));
}

const books = emptyBooks();

const home = { program: 1, other: 2 };
const currencies = ["EUR", "USD"] as const;
/**
 * The first range belongs to this shard, the second to another shard, and the third was assigned to this shard for a
 * program migrated here.
 */
const ranges = [1, 2, 1000] as const;

interface Given {
  readonly is: "entry" | "approval" | "nothing";
  readonly isOther: boolean;
  readonly isTest: boolean;
  readonly currency: (typeof currencies)[number];
  readonly partner: number;
  /** Milliseconds since the previous number. */
  readonly after: number;
  /** True for an approval that was written again after a restore, and keeps its original instant. */
  readonly isAnew: boolean;
}

const given: fc.Arbitrary<Given> = fc.record({
  is: fc.constantFrom("entry", "entry", "approval", "approval", "nothing"),
  isOther: fc.boolean(),
  isTest: fc.boolean(),
  currency: fc.constantFrom(...currencies),
  partner: fc.integer({ min: 1, max: 3 }),
  after: fc.integer({ min: 0, max: 3 }),
  isAnew: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

interface Numbered extends Given {
  readonly number: number;
  readonly at: number;
}

/** Numbers an equal part of the history from each range in `of`, in this order. */
function numbered(history: readonly Given[], of: readonly number[]): readonly Numbered[] {
  let at = 1_000;
  return history.map((each, i) => {
    at += each.after;
    const range = of[Math.floor((i * of.length) / history.length)] ?? 0;
    return { ...each, number: range * idsPerRange + i + 1, at: each.isAnew && each.is === "approval" ? 1_000 : at };
  });
}

function write(rows: readonly Numbered[], hasMoved: boolean): void {
  for (const table of ["ledger_entries", "commissions", "programs", "ledger_writers", "shard_identity", "id_floors"]) {
    books.exec(`delete from ${table}`);
  }
  insert(books, "shard_identity", { number: 1 });
  insert(books, "id_floors", { id: 1000 * idsPerRange });
  insert(books, "ledger_writers", { name: "main", number: rows.at(-1)?.number ?? 0 });
  insert(books, "programs", { id: home.program, move_id: hasMoved ? 1 : null });
  insert(books, "programs", { id: home.other, move_id: null });
  for (const { is, isOther, isTest, currency, partner, number, at } of rows) {
    const own = { program_id: isOther ? home.other : home.program, partner_id: partner, currency };
    if (is === "entry")
      insert(books, "ledger_entries", { ...own, id: number, is_test: Number(isTest), created_at: at });
    if (is === "approval") {
      insert(books, "commissions", {
        ...own,
        id: number,
        sale_id: number,
        is_test: 0,
        payable_number: number,
        approved_at: at,
      });
    }
  }
}

function cutOf(currency: string, until: number | null): number {
  const { sql, args } = cutAt({ programId: home.program, currency, until });
  return Number(books.prepare(sql).get(...args.map((arg) => (typeof arg === "boolean" ? Number(arg) : arg)))?.cut);
}

/**
 * Takes the entries up to `until`, and returns the last number before the next entry. If an approval between these two
 * entries is later than `until`, returns the number before it. Entries of the other program count only if the program
 * wasn't migrated, because then all numbers are from one shard.
 */
function modelOf(rows: readonly Numbered[], { currency, until, hasMoved }: Asked): number {
  const entries = rows.filter(({ is, isOther }) => is === "entry" && !(hasMoved && isOther));
  const last = Math.max(0, ...entries.filter(({ at }) => at <= until).map(({ number }) => number));
  const newest = rows.at(-1)?.number ?? 0;
  const next = Math.min(newest + 1, ...entries.filter(({ at }) => at > until).map(({ number }) => number));
  const later = rows.filter(
    (each) => each.is === "approval" && !each.isOther && each.currency === currency && each.at > until,
  );
  return Math.min(next, ...later.map(({ number }) => number).filter((number) => number > last && number < next)) - 1;
}

interface Asked {
  readonly currency: string;
  readonly until: number;
  readonly hasMoved: boolean;
}

test("the cutoff of a payout up to an instant is the last entry number up to that instant, with and without a shard migration", () => {
  const histories = fc.array(given, { minLength: 1, maxLength: 30 });
  const asked = fc.record({ currency: fc.constantFrom(...currencies), hasMoved: fc.boolean() });
  fc.assert(
    fc.property(histories, asked, (history, { currency, hasMoved }) => {
      const own = numbered(history, hasMoved ? ranges : [1, 1000]);
      write(own, hasMoved);
      const instants = new Set(own.flatMap(({ at }) => [at - 1, at, at + 1]));
      for (const until of instants) {
        expect(cutOf(currency, until)).toBe(modelOf(own, { currency, until, hasMoved }));
        // The payout includes exactly the numbers assigned up to the instant, except those of approvals after a
        // restore.
        const cut = cutOf(currency, until);
        const paid = own.filter(
          ({ is, isOther, ...each }) => is !== "nothing" && !isOther && each.currency === currency,
        );
        const wrong = paid.filter(({ number, at, isAnew }) => !isAnew && number <= cut !== at <= until);
        expect(wrong).toEqual([]);
      }
      expect(cutOf(currency, null)).toBe(own.at(-1)?.number);
    }),
    { numRuns: isWhole ? 2_000 : 100 },
  );
});
