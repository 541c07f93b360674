import type { Statement } from "#store/statement.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";

/**
 * Scans that the tests allow: of values in the statement, rows of a subquery, pending moves, open erasures, bonuses,
 * programs with tiers, counts that are due, and programs in the order in which retention is due.
 */
const isSmall =
  /^SCAN (wanted|page|packed|shown|only_sale|decided|sold|events|top|active|json_each|value|found|\(subquery-\d+\)|(\d+ )?CONSTANT ROWS?|pending_moves|e USING INDEX erasures_open|program_retention USING COVERING INDEX program_retention_due|tier_books|tier_counts USING INDEX tier_counts_due|standing|gap|paid_in|taken|partner|free|search|newest|entries|of_gaps|of_commissions|bonuses|write_offs|nearby|reviewed|earliest|following)/;

/** A search through all events of a book by an index. */
const isWholeBook =
  /(INDEX (clicks|customers|leads|sales|refunds|commissions|ledger_entries)_\w+|click_event_ids USING PRIMARY KEY) \(program_id=\?( AND is_test=\?)?\)$/;

const isLastOne = / order by "\w+"\."id" desc limit \?$/;

/** Reads how the database would run statements. `database` returns the URL. */
export function queryPlans(database: () => string) {
  async function scansIn(statements: readonly Statement[]): Promise<string[]> {
    // Inserts into `notes` are excluded: SQLite would scan for rows that refer to the new note, but only while a
    // foreign key is violated.
    const planned = statements.filter(({ sql }) => !sql.includes('insert into "notes"'));
    const asSent = planned.flatMap((each) => [each, ...(each.listed === undefined ? [] : [each.listed()])]);
    const scans = await plansOf(asSent, /^SCAN|INDEX|PRIMARY KEY/);
    return scans.filter(
      (scan) =>
        (scan.startsWith("SCAN") && !isSmall.test(scan) && !isLastOne.test(scan)) ||
        isWholeBook.test(scan.slice(0, scan.indexOf(": "))),
    );
  }

  /** Returns the matching steps of the plans, each with its statement. */
  async function plansOf(statements: readonly Statement[], pattern: RegExp): Promise<string[]> {
    if (statements.length === 0) return [];
    const explained = statements.map(({ sql, args }) => ({ sql: `explain query plan ${sql}`, args }));
    const found = await openDatabaseClient(database()).batch(explained, "read");
    return found.flatMap(({ rows }, i) =>
      rows.filter(({ detail }) => pattern.test(String(detail))).map(({ detail }) => `${detail}: ${statements[i]?.sql}`),
    );
  }

  return { scansIn, plansOf };
}
