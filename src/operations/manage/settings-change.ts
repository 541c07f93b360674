import { actorOfKey, isKeyActor } from "#domain/actor.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Via } from "#domain/proposal.ts";
import { type AuditRow, insertAudit } from "#store/audit.ts";
import type { Write } from "#store/statement.ts";
import type { Call, Commit, Context, Credential, Settings } from "../operation.ts";

export interface ChangeCall extends Call {
  readonly kind: string;
  readonly programId: ProgramId;
  readonly actorId: string;
  /** Set if the member accepts a change that a key has proposed. */
  readonly via?: Via;
}

/** A change by a member or with a key. If `actorId` is null, the key that the call was sent with is the actor. */
export interface KeyedChangeCall extends Call {
  readonly programId: ProgramId;
  readonly actorId: string | null;
  readonly key?: Credential;
}

/** Sets `actorId` to the key if the call has no member. The key has been checked before. */
export function acting<C extends KeyedChangeCall>(call: C, settings: Settings): C & { readonly actorId: string } {
  const { actorId, key, programId } = call;
  if (actorId !== null) return { ...call, actorId };
  const hash = key !== undefined && "hash" in key ? key.hash : undefined;
  const found = settings.program(programId)?.keys.find((each) => each.hash === hash);
  return { ...call, actorId: actorOfKey(found?.id) };
}

export const isByKey = ({ actorId }: Pick<ChangeCall, "actorId">): boolean => isKeyActor(actorId);

export interface Change {
  readonly programId: ProgramId;
  readonly action: string;
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface Effect<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

type By = Pick<ChangeCall, "operationId" | "actorId" | "at" | "via">;

export function auditWrite(call: By, change: Change, { newId }: Context): Write {
  const entry: AuditRow = {
    id: newId("auditEntries"),
    programId: change.programId,
    operationId: call.operationId,
    actorId: call.actorId,
    action: change.action,
    subject: change.subject,
    before: change.before === null ? null : JSON.stringify(change.before),
    after: change.after === null ? null : JSON.stringify(change.after),
    via: call.via === undefined ? null : JSON.stringify(call.via),
    createdAt: call.at,
  };
  return insertAudit(entry);
}

/** The audit entry also marks the operation as done, so that a repeated call changes nothing. */
export const auditedChange = <Answer>(
  call: By,
  change: Change,
  { writes, answer }: Effect<Answer>,
  context: Context,
): Commit<Answer> => ({
  kind: "commit",
  programId: change.programId,
  answer,
  writes: [...writes, auditWrite(call, change, context)],
});

export const settingsChange = <Answer>(...change: Parameters<typeof auditedChange<Answer>>): Commit<Answer> => ({
  ...auditedChange(...change),
  changes: { programId: change[1].programId },
});

export const noChange = <Answer>(programId: ProgramId, answer: Answer): Commit<Answer> => ({
  kind: "commit",
  programId,
  answer,
  writes: [],
});

/**
 * An archived program's settings can't change. Its commissions and partners can change, because the program still has
 * to pay them.
 */
export const isArchived = (settings: Settings, programId: ProgramId): boolean =>
  settings.program(programId)?.archivedAt != null;

export type Patch<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined };

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
