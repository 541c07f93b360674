import { type ImportEffects, type ImportKind, type RefusedRow, type RowOutcome, refusedRow } from "#domain/import.ts";
import { type AuditRow, auditOfOperation } from "#store/audit.ts";
import { actionsDone } from "#store/imports.ts";
import type { Write } from "#store/statement.ts";
import { acting, auditWrite, type KeyedChangeCall } from "../manage/settings-change.ts";
import type { Context } from "../operation.ts";

export interface ImportCall<Row extends { readonly line: number }> extends KeyedChangeCall {
  /** The source of the rows, such as the name of the former program. */
  readonly source: string;
  /** Returns the answer that a real run would return, and changes nothing. */
  readonly isDryRun: boolean;
  /** Line numbers are unique within the call. */
  readonly rows: readonly Row[];
}

export interface Imported {
  readonly outcomes: readonly RowOutcome[];
}

type Call = ImportCall<{ readonly line: number }>;

/** The operation id of a row, so that a repeated call can report the first call's results. */
export const operationOfRow = ({ operationId }: Pick<Call, "operationId">, line: number): string =>
  `${operationId} ${line}`;

export const doneBefore = (call: Call) => ({
  entry: auditOfOperation({ operationId: call.operationId }),
  done: actionsDone({ operationIds: JSON.stringify(call.rows.map(({ line }) => operationOfRow(call, line))) }),
});

interface Done {
  readonly entry: AuditRow | undefined;
  readonly done: readonly { readonly operationId: string; readonly action: string; readonly after: string | null }[];
}

type Refusals = readonly Pick<RefusedRow, "line" | "code" | "field">[];

const isRefused = (outcome: RowOutcome): outcome is RefusedRow => outcome.result === "refused";

/** The answer of an earlier run of this call. Undefined if there was no such run, or if it changed nothing. */
export function answeredBefore(
  call: Call,
  planned: readonly RowOutcome[],
  { entry, done }: Done,
): readonly RowOutcome[] | undefined {
  if (entry?.after == null) return undefined;
  const { refusals } = JSON.parse(entry.after) as { readonly refusals: Refusals };
  const refused = new Map(refusals.map((refusal) => [refusal.line, refusal]));
  const entries = new Map(done.map((each) => [each.operationId, each]));
  return planned.map(({ line, id, warnings }) => {
    const known = { line, ...(id !== undefined && { id }), ...(warnings !== undefined && { warnings }) };
    const refusal = refused.get(line);
    if (refusal !== undefined) return { ...known, ...refusedRow(line, refusal.code, refusal.field) };
    const own = entries.get(operationOfRow(call, line));
    if (own === undefined) return { ...known, result: "unchanged" };
    return { ...known, ...toldOnce(own.after), result: creations.includes(own.action) ? "created" : "updated" };
  });
}

const creations: readonly string[] = ["partner.created", "adjustment.created", "customer.imported", "coupon.created"];

/** Results that are read from the row's audit entry, because a repeated call can't compute them again. */
function toldOnce(after: string | null): Pick<RowOutcome, "effects" | "warnings"> {
  const { sales, amounts, warnings } = JSON.parse(after ?? "{}") as ToldOnce;
  return {
    ...(sales !== undefined && amounts !== undefined && { effects: { sales, amounts } }),
    ...(warnings !== undefined && { warnings }),
  };
}
type ToldOnce = Partial<ImportEffects> & Pick<RowOutcome, "warnings">;

/** The audit entry of the whole call, with the counts of results and the reasons for refused rows. */
export function callEntry(call: Call, kind: ImportKind, outcomes: readonly RowOutcome[], context: Context): Write {
  const counts = Object.fromEntries(
    [...Map.groupBy(outcomes, ({ result }) => result)].map(([result, rows]) => [result, rows.length]),
  );
  const refusals: Refusals = outcomes
    .filter(isRefused)
    .map(({ line, code, field }) => ({ line, code, ...(field !== undefined && { field }) }));
  const { programId, source } = call;
  const change = {
    programId,
    action: "rows.imported",
    subject: `program ${programId}`,
    before: null,
    after: { kind, source, ...counts, refusals },
  };
  return auditWrite(acting(call, context.settings), change, context);
}
