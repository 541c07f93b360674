import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { Failure, fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import type { Notes } from "../../forms/note-fields.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";
import { type Commission, isOfUnconfirmed, listQuery, type Total } from "./queries.ts";

export type Decidable = Pick<
  Commission,
  "id" | "transactionId" | "status" | "unconfirmed" | "inPayout" | "amountCents" | "currency" | "partnerName"
>;

/** Every commission that the filters show, on whichever page. */
export interface Matching {
  readonly filters: Filters;
  readonly totals: readonly Total[];
  readonly count: number;
}

export interface Decision {
  readonly verb: "approve" | "reject";
  /** Of a choice beyond the page: those of them that it shows. */
  readonly commissions: readonly Decidable[];
  readonly matching?: Matching | undefined;
  /** Of a rejection. */
  readonly notes?: Notes;
}

export interface Outcome {
  readonly id: number;
  /** Undefined: it isn't on the page. */
  readonly commission: Decidable | undefined;
  /** Undefined if the decision was accepted. */
  readonly refusal: string | undefined;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly isWaiting: boolean;
}

export const mayApprove = ({ status }: Pick<Decidable, "status">): boolean => status === "pending";
export const isUnconfirmed = ({ status, unconfirmed }: Pick<Decidable, "status" | "unconfirmed">): boolean =>
  status === "pending" && unconfirmed;
export const mayReject = ({ status, inPayout }: Pick<Decidable, "status" | "inPayout">): boolean =>
  status === "pending" || (status === "approved" && !inPayout);

export const sizeOf = ({ commissions, matching }: Decision): number => matching?.count ?? commissions.length;

type Call =
  | { readonly ids: number[] }
  | { readonly filter: object; readonly expectedCount: number; readonly beforeId?: number };

/** In as many calls as it takes. One refusal doesn't stop the others. */
export function useDecide(onDone: (outcomes: readonly Outcome[]) => void) {
  const { program } = useProgram();
  const [progress, setProgress] = useState<Progress>();
  const decideAll = async (decision: Decision): Promise<readonly Outcome[]> => {
    const { verb, commissions, matching, notes = { reason: "" } } = decision;
    const shown = new Map(commissions.map((commission) => [commission.id, commission]));
    const total = sizeOf(decision);
    const outcomes: Outcome[] = [];
    const tell = (isWaiting: boolean) => setProgress({ done: outcomes.length, total, isWaiting });
    const routes = api.programs[":programId"].commissions;
    const param = paramOf(program);
    const call = (json: Call) =>
      patiently(
        () =>
          take(
            verb === "approve"
              ? routes.approve.$post({ param, json })
              : routes.reject.$post({ param, json: { ...json, ...notes } }),
          ),
        () => tell(true),
      );
    const filter = matching && filterOf(matching.filters, program);
    for (let next = firstCall(commissions, matching, filter); next !== undefined; ) {
      tell(false);
      const { data, remaining } = await call(next);
      for (const { id, result, message } of data) {
        outcomes.push({ id, commission: shown.get(id), refusal: result === "refused" ? message : undefined });
      }
      const last = data.at(-1);
      next =
        filter !== undefined && remaining > 0 && last !== undefined
          ? { filter, expectedCount: remaining, beforeId: last.id }
          : undefined;
    }
    return outcomes;
  };
  const action = useAction(
    async (decision: Decision) => {
      if (decision.verb === "reject" && !decision.notes?.reason.trim()) throw fieldError("reason", "Enter a reason.");
      try {
        return { verb: decision.verb, outcomes: await decideAll(decision) };
      } finally {
        setProgress(undefined);
      }
    },
    { failsIn: "form", refreshes: [`program ${program.id} `], onDone: ({ outcomes }) => onDone(outcomes) },
  );
  return { ...action, progress };
}
export type Decide = ReturnType<typeof useDecide>;

const firstCall = (
  commissions: readonly Decidable[],
  matching: Matching | undefined,
  filter: object | undefined,
): Call | undefined =>
  matching === undefined || filter === undefined
    ? { ids: commissions.map(({ id }) => id) }
    : { filter, expectedCount: matching.count };

function filterOf(filters: Filters, program: Parameters<typeof listQuery>[1]) {
  const { sort: _sort, order: _order, unconfirmed: _unconfirmed, ...filter } = listQuery(filters, program);
  return { ...filter, ...(isOfUnconfirmed(filters) && { unconfirmed: true }) };
}

const maxPatienceSeconds = 120;

/** Waits as long as the service asks for, instead of giving up on what is left. */
async function patiently<T>(send: () => Promise<T>, onWait: () => void): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const seconds = error instanceof Failure && error.status === 429 ? (error.retryAfterSeconds ?? 5) : undefined;
      if (seconds === undefined || seconds > maxPatienceSeconds) throw error;
      onWait();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

/** Refusals of one text are one line, with those that it is about. */
export function groupedRefusals(
  outcomes: readonly Outcome[],
): readonly (readonly [text: string, names: readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { id, commission, refusal } of outcomes) {
    if (refusal === undefined) continue;
    const names = groups.get(refusal) ?? [];
    names.push(commission?.transactionId ?? `commission ${id}`);
    groups.set(refusal, names);
  }
  return [...groups];
}
