import { type AuditRow, insertAudit } from "../../store/audit.ts";
import type { Write } from "../../store/statement.ts";
import type { Call, Commit, Context, Settings } from "../operation.ts";

/** A change that a member makes to a program. The Worker has seen their session and role. */
export interface ChangeCall extends Call {
  readonly kind: string;
  readonly programId: number;
  /** The user who makes it. */
  readonly actorId: string;
}

export interface Change {
  readonly programId: number;
  /** `partner.paused` */
  readonly action: string;
  /** `partner 12` */
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** What a person decided, with its entry in the audit trail, which is also what tells that it was done. */
export function auditedChange<Answer>(
  call: Pick<ChangeCall, "operationId" | "actorId" | "at">,
  change: Change,
  writes: readonly Write[],
  answer: Answer,
  { newId }: Context,
): Commit<Answer> {
  const entry: AuditRow = {
    id: newId("auditEntries"),
    programId: change.programId,
    operationId: call.operationId,
    actorId: call.actorId,
    action: change.action,
    subject: change.subject,
    before: change.before === null ? null : JSON.stringify(change.before),
    after: change.after === null ? null : JSON.stringify(change.after),
    createdAt: call.at,
  };
  return {
    kind: "commit",
    programId: change.programId,
    answer,
    writes: [...writes, insertAudit(entry)],
  };
}

/** The same, of something that other calls are decided by. */
export const settingsChange = <Answer>(...change: Parameters<typeof auditedChange<Answer>>): Commit<Answer> => ({
  ...auditedChange(...change),
  changes: { programId: change[1].programId },
});

/** Nothing to change, or changed before by this very call. */
export const noChange = <Answer>(programId: number, answer: Answer): Commit<Answer> => ({
  kind: "commit",
  programId,
  answer,
  writes: [],
});

/** An archived program takes no changes but to its commissions and its partners: those it still has to pay. */
export const isArchived = (settings: Settings, programId: number): boolean =>
  settings.program(programId)?.archivedAt != null;

/** New values of some columns; undefined: as it was. */
export type Patch<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined };

/** What differs between two states of a row, as it was and as it is. Undefined: nothing. */
export function diff<Row extends Readonly<Record<string, unknown>>>(
  row: Row,
  changes: Patch<NoInfer<Row>>,
): { readonly row: Row; readonly before: Partial<Row>; readonly after: Partial<Row> } | undefined {
  const names = Object.keys(changes) as (keyof Row)[];
  const differing = names.filter((name) => changes[name] !== undefined && changes[name] !== row[name]);
  if (differing.length === 0) return undefined;
  const pick = (from: Patch<Row>) => Object.fromEntries(differing.map((name) => [name, from[name]])) as Partial<Row>;
  const after = pick(changes);
  return { row: { ...row, ...after }, before: pick(row), after };
}
