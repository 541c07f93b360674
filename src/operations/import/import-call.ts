import type { ImportKind, RowOutcome } from "#domain/import.ts";
import { actionsDone } from "#store/imports.ts";
import type { Write } from "#store/statement.ts";
import { acting, auditWrite, type KeyedChangeCall } from "../manage/settings-change.ts";
import type { Context } from "../operation.ts";

export interface ImportCall<Row extends { readonly line: number }> extends KeyedChangeCall {
  /** What the rows come from, such as the name of the former program. */
  readonly source: string;
  /** Answers as the run would, and changes nothing. */
  readonly isDryRun: boolean;
  /** Each with a line of its own. */
  readonly rows: readonly Row[];
}

export interface Imported {
  readonly outcomes: readonly RowOutcome[];
}

type Call = ImportCall<{ readonly line: number }>;

/** A row is an operation of its own, so that a call that is sent again tells what it has done. */
export const operationOfRow = ({ operationId }: Pick<Call, "operationId">, line: number): string =>
  `${operationId} ${line}`;

export const doneBefore = (call: Call) =>
  actionsDone({ operationIds: JSON.stringify(call.rows.map(({ line }) => operationOfRow(call, line))) });

/** The outcomes as the first run told them. By now, what it did is unchanged. */
export function outcomesOf(
  call: Call,
  planned: readonly RowOutcome[],
  done: readonly { readonly operationId: string; readonly action: string }[],
): readonly RowOutcome[] {
  const actions = new Map(done.map(({ operationId, action }) => [operationId, action]));
  return planned.map((outcome) => {
    const action = actions.get(operationOfRow(call, outcome.line));
    if (action === undefined || outcome.result !== "unchanged") return outcome;
    const isNew = action === "partner.created" || action === "adjustment.created";
    return { ...outcome, result: isNew ? "created" : "updated" };
  });
}

/** The call's entry, with its counts. */
export function callEntry(call: Call, kind: ImportKind, outcomes: readonly RowOutcome[], context: Context): Write {
  const counts = Object.fromEntries(
    [...Map.groupBy(outcomes, ({ result }) => result)].map(([result, rows]) => [result, rows.length]),
  );
  const { programId, source } = call;
  const change = {
    programId,
    action: "rows.imported",
    subject: `program ${programId}`,
    before: null,
    after: { kind, source, ...counts },
  };
  return auditWrite(acting(call, context.settings), change, context);
}
