import { afterAll, beforeAll, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { auditLedger, invariants } from "../../scripts/audit/ledger.ts";

// A rule that reads a whole table, list or program again for each row takes too long: 54,000 partners once took hours.

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** Plan steps that may run once per row of another table, because that table stays small or the step stops early. */
const level: Readonly<Record<string, string>> = {
  "SEARCH o USING PRIMARY KEY (program_id=? AND is_test=?)": "the oldest event: stops at the first row",
  "SEARCH i USING PRIMARY KEY (program_id=?)": "once for each program: the digests of its erased people",
  "SEARCH s USING INDEX sales_recent (program_id=?)": "once for each program: its sales",
  "SEARCH e USING INDEX erasures_program (program_id=? AND requested_at>?)": "the first receipt since: stops there",
  "SEARCH b USING PRIMARY KEY (program_id=? AND is_test=?)": "one row: the book of a program with tiers",
  "SEARCH b USING PRIMARY KEY (program_id=? AND is_test=?) LEFT-JOIN": "the same",
  "SEARCH k USING PRIMARY KEY (program_id=? AND is_test=?)": "one row: the book of a program with bonuses",
  "SEARCH b USING INDEX bonuses_program (program_id=?)": "a few rows: the bonuses of a program",
  "SEARCH k USING COVERING INDEX claims_program (program_id=? AND status=?) LEFT-JOIN":
    "once for each program: its open claims, at most 1,000",
  "SCAN newest": "one row: the newest number that has been used",
};

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** A search by these columns only reads all rows of a program. */
const ofAll = new Set(["program_id", "is_test", "currency", "action", "type", "status", "kind", "place"]);

function readsAll(detail: string): boolean {
  if (detail.startsWith("SCAN")) return true;
  const by = /\(([^()]*)\)( LEFT-JOIN)?$/.exec(detail)?.[1] ?? "";
  return !by.split(" AND ").some((part) => part.endsWith("=?") && !ofAll.has(part.slice(0, -2)));
}

/** Plan steps that run once for each row of another step and read a whole table, list or program each time. */
function repeated(plan: readonly Step[]): readonly string[] {
  const byId = new Map(plan.map((step) => [step.id, step]));
  const within = Map.groupBy(plan, ({ parent }) => parent);
  const isConstant = (name: string | undefined): boolean =>
    plan
      .filter(({ detail }) => detail === `CO-ROUTINE ${name}` || detail === `MATERIALIZE ${name}`)
      .some(({ id }) => leavesOf(id).every(({ detail }) => detail === "SCAN CONSTANT ROW"));
  const leavesOf = (id: number): readonly Step[] =>
    (within.get(id) ?? []).flatMap((step) => (within.has(step.id) ? leavesOf(step.id) : [step]));
  /** True if the list is built from the rows of the neighboring step. */
  const isMadeFor = ({ parent, detail: scan }: Step): boolean =>
    (within.get(parent) ?? []).some(({ detail }) => detail === scan.replace("SCAN", "CO-ROUTINE"));
  const isCorrelated = ({ parent }: Step): boolean => {
    const above = byId.get(parent);
    if (above === undefined || /^(MATERIALIZE|LIST SUBQUERY|SCALAR SUBQUERY)/.test(above.detail)) return false;
    return above.detail.startsWith("CORRELATED") || isCorrelated(above);
  };
  return [...within.values()].flatMap((steps) => {
    const loops = steps.filter(({ detail }) => /^(SCAN|SEARCH) /.test(detail) && !detail.includes("CONSTANT ROW"));
    const tables = loops.filter(
      ({ detail }) => !detail.includes("VIRTUAL TABLE") && !isConstant(/^SCAN (\S+)$/.exec(detail)?.[1]),
    );
    const again = tables.filter((step, i) => i > 0 || (isCorrelated(step) && !isMadeFor(step)));
    return again.map(({ detail }) => detail).filter(readsAll);
  });
}

it("no audit rule reads a whole table, list or program again for each row", async () => {
  const client = openDatabaseClient(database.url);
  const found: string[] = [];
  let asked = 0;
  const execute = async (query: string) => {
    const { rows } = await client.execute(`explain query plan ${query}`);
    const plan = rows.map(({ id, parent, detail }) => ({
      ...{ id: Number(id), parent: Number(parent), detail: String(detail) },
    }));
    asked += 1;
    found.push(
      ...repeated(plan)
        .filter((detail) => level[detail] === undefined)
        .map((detail) => `${detail}: ${query}`),
    );
    return client.execute(query);
  };
  const batch = (queries: readonly string[]) => Promise.all(queries.map(execute));
  await auditLedger({ execute, batch });
  expect(asked).toBeGreaterThan(Object.keys(invariants).length);
  expect(found).toEqual([]);
});
