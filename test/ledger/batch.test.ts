import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinReads, joinWrites, separateWrites } from "#engine/batch.ts";
import { numbered, withWanted } from "#store/multi-row.ts";
import type { MultiRow, Read, Row, Statement } from "#store/statement.ts";

const make = (name: string): MultiRow => ({
  joined: (rows) => ({ sql: `${name} × ${rows.length}`, args: rows.flat() }),
});
const makes = { a: make("a"), b: make("b"), c: make("c") };
type Name = keyof typeof makes | "alone";

const statement = (name: Name, value: string): Statement =>
  name === "alone" ? { sql: name, args: [value] } : { sql: `${name} × 1`, args: [value], multiRow: makes[name] };

const lists = fc
  .array(fc.array(fc.constantFrom<Name>("a", "b", "c", "alone"), { minLength: 1, maxLength: 6 }), { maxLength: 12 })
  .map((calls) => calls.map((names, call) => names.map((name, i) => statement(name, `${call}.${i}`))));

/** The values in the order in which the database receives them. */
const valuesOf = (statements: readonly Statement[]) => statements.flatMap(({ args }) => args as string[]);

it("a short VALUES list has integers and nulls in the SQL text, and all other values as arguments", () => {
  const changes = withWanted(["id", "name", "rate", "isTest"], "update x from wanted");
  const row = [7, "1); drop table x", 0.5, true] as const;
  expect(changes.joined([row, [-8, null, 2 ** 53, false]]).listed?.()).toEqual({
    sql: 'with wanted ("id", "name", "rate", "isTest") as (values (7, ?, ?, 1), (-8, null, ?, 0)) update x from wanted',
    args: ["1); drop table x", 0.5, 2 ** 53],
  });
});

it("the statement for joined rows has the same text for any number of rows", () => {
  const lookUps = numbered(withWanted(["n", "name", "isTest"], "select * from wanted"));
  const rows = Array.from({ length: 20 }, (_, i) => [`name ${i}`, i % 2 === 0]);
  const { sql, args, listed } = lookUps.joined(rows);
  expect(lookUps.joined(rows.slice(0, 1)).sql).toBe(sql);
  expect(args).toEqual([JSON.stringify(rows.map((row, n) => [n, ...row]))]);
  expect(listed).toBeUndefined();
});

it("half of a surrogate pair is stored as U+FFFD, so that the stored text can be read", () => {
  const [row = []] = JSON.parse(String(withWanted(["name"], "").joined([["a\ud800b"]]).args[0]));
  expect(row).toEqual(["a\ufffdb"]);
});

describe("the joined writes of one batch of calls", () => {
  it("the joined writes of one batch of calls combine all writes of the same shape into one statement", () => {
    const calls = Array.from({ length: 100 }, (_, i) => [statement("a", `${i}`), statement("b", `${i}`)]);
    const { statements, owners } = joinWrites(calls);
    expect(statements.map(({ sql }) => sql)).toEqual(["a × 100", "b × 100"]);
    expect(owners).toEqual([calls.map((_, i) => i), calls.map((_, i) => i)]);
  });

  it("the joined writes of one batch of calls are split into statements of at most 1,000 rows", () => {
    const { statements, owners } = joinWrites([Array.from({ length: 2_500 }, (_, i) => statement("a", `${i}`))]);
    expect(statements.map(({ sql }) => sql)).toEqual(["a × 1000", "a × 1000", "a × 500"]);
    expect(owners.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  });

  it("the joined writes of a call that depends on another call come after all writes of that other call", () => {
    const calls = [
      [statement("b", "other")],
      [statement("a", "first"), statement("alone", "first"), statement("b", "first")],
      [statement("a", "second"), statement("b", "second")],
    ];
    const seen = valuesOf(joinWrites(calls, [undefined, undefined, 1]).statements);
    expect(seen).toEqual(["other", "first", "first", "first", "second", "second"]);
  });

  it("the joined writes of one batch of calls contain each write once, keep the order of each call's writes, and show which call each row is from", () => {
    fc.assert(
      fc.property(lists, (calls) => {
        for (const { statements, owners } of [joinWrites(calls), separateWrites(calls)]) {
          const seen = valuesOf(statements);
          expect(seen.toSorted()).toEqual(valuesOf(calls.flat()).toSorted());
          for (const [call, own] of calls.entries())
            expect(seen.filter((value) => value.startsWith(`${call}.`))).toEqual(valuesOf(own));
          expect(owners.map((of) => of.map(String))).toEqual(
            statements.map(({ args }) => args.map((value) => String(value).split(".")[0])),
          );
          for (const { sql, args } of statements) if (args.length > 1) expect(sql).toMatch(` × ${args.length}`);
        }
      }),
    );
  });
});

describe("the joined reads of one batch of calls", () => {
  const read = (name: Name, value: string): Read<unknown> => ({
    ...statement(name, value),
    kind: "read",
    decode: String,
  });

  it("the joined reads of one batch of calls return to each read its own rows", () => {
    fc.assert(
      fc.property(lists, fc.nat(3), (calls, rowsEach) => {
        const reads = calls.flat().map(({ sql, args }) => read(sql.split(" ")[0] as Name, String(args[0])));
        const { statements, rowsOf } = joinReads(reads);
        // Returns this many rows for each key, marked with the key, in reverse order.
        const answer = ({ args }: Statement): Row[] =>
          args.flatMap((value, n) => Array.from({ length: rowsEach }, () => [n, value])).toReversed();
        const found = rowsOf(statements.map(answer));
        expect(found.map((rows) => rows.map((row) => row[1]))).toEqual(
          reads.map(({ args }) => Array.from({ length: rowsEach }, () => args[0])),
        );
      }),
    );
  });

  it("the joined reads of one batch of calls send identical reads once and return the rows to every caller", () => {
    const reads = [read("a", "x"), read("a", "y"), read("a", "x"), read("b", "x")];
    const { statements, rowsOf } = joinReads(reads);
    expect(statements.map(({ sql, args }) => [sql, args])).toEqual([
      ["a × 2", ["x", "y"]],
      ["b × 1", ["x"]],
    ]);
    const found = rowsOf([
      [
        [0, "of x"],
        [1, "of y"],
      ],
      [[0, "b of x"]],
    ]);
    expect(found.map((rows) => rows.map((row) => row[1]))).toEqual([["of x"], ["of y"], ["of x"], ["b of x"]]);
  });

  it("the joined reads of one batch of calls keep reads that can't be joined as separate statements with their own results", () => {
    const reads = [read("alone", "x"), read("alone", "y")];
    const { statements, rowsOf } = joinReads(reads);
    expect(statements).toEqual([reads[0], reads[1]]);
    expect(rowsOf([[["found x"]], [["found y"]]])).toEqual([[["found x"]], [["found y"]]]);
  });
});
