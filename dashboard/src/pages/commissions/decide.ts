import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { Failure, fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import type { Progress } from "../../components/progress.tsx";
import type { Notes } from "../../forms/note-fields.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";
import { type Commission, isOfUnconfirmed, listQuery, type Total } from "./queries.ts";

export type Decidable = Partial<Pick<Commission, "reasons">> &
  Pick<
    Commission,
    | "id"
    | "transactionId"
    | "status"
    | "unconfirmed"
    | "held"
    | "inPayout"
    | "corrected"
    | "amountCents"
    | "currency"
    | "partnerName"
    | "approvedBy"
  >;

/** All commissions that match the filters, on all pages. */
export interface Matching {
  readonly filters: Filters;
  readonly totals: readonly Total[];
  readonly count: number;
  /** True if `count` excludes commissions that are held or flagged. */
  readonly leavesMarked?: boolean;
}

export interface Decision {
  readonly verb: "approve" | "reject" | "hold" | "release";
  /** The selected commissions. If the selection goes beyond the page, only those that the page shows. */
  readonly commissions: readonly Decidable[];
  readonly matching?: Matching | undefined;
  /** Notes of a rejection or a hold. */
  readonly notes?: Notes;
  /** Note of a release. */
  readonly note?: string | undefined;
}

export interface Outcome {
  readonly id: number;
  /** Undefined if the commission isn't on the page. */
  readonly commission: Decidable | undefined;
  /** Undefined if the decision was accepted. */
  readonly refusal: string | undefined;
}

export const mayApprove = ({ status }: Pick<Decidable, "status">): boolean => status === "pending";
export const mayRelease = ({ held }: Pick<Decidable, "held">): boolean => held;
export const mayHold = (commission: Pick<Decidable, "status" | "inPayout" | "held" | "approvedBy">): boolean =>
  mayReject(commission) &&
  !commission.held &&
  !(commission.status === "approved" && commission.approvedBy === "person");
export const isUnconfirmed = ({ status, unconfirmed }: Pick<Decidable, "status" | "unconfirmed">): boolean =>
  status === "pending" && unconfirmed;
export const mayReject = ({ status, inPayout }: Pick<Decidable, "status" | "inPayout">): boolean =>
  status === "pending" || (status === "approved" && !inPayout);

export const sizeOf = ({ commissions, matching }: Decision): number => matching?.count ?? commissions.length;

type Call =
  | { readonly ids: number[] }
  | { readonly filter: object; readonly expectedCount: number; readonly beforeId?: number };

interface Reply {
  readonly data: readonly { readonly id: number; readonly result: string; readonly message?: string | undefined }[];
  /** Number of matching commissions that remain to be decided by further calls. */
  readonly remaining?: number;
}

/** Sends a decision in as many calls as necessary. A refusal of one commission doesn't stop the others. */
export function useDecide(onDone: (outcomes: readonly Outcome[]) => void) {
  const { program } = useProgram();
  const [progress, setProgress] = useState<Progress>();
  const decideAll = async (decision: Decision): Promise<readonly Outcome[]> => {
    const { commissions, matching } = decision;
    const shown = new Map(commissions.map((commission) => [commission.id, commission]));
    const total = sizeOf(decision);
    const outcomes: Outcome[] = [];
    const tell = (isWaiting: boolean) => setProgress({ done: outcomes.length, total, isWaiting });
    const param = paramOf(program);
    const call = (json: Call) =>
      patiently(
        () => send(decision, param, json),
        () => tell(true),
      );
    const filter = matching && {
      ...filterOf(matching.filters, program),
      ...(matching.leavesMarked === true && { flag: "none" as const, held: false }),
    };
    for (let next = firstCall(commissions, matching, filter); next !== undefined; ) {
      tell(false);
      const { data, remaining = 0 } = await call(next);
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
      const { verb, notes } = decision;
      if ((verb === "reject" || verb === "hold") && !notes?.reason.trim())
        throw fieldError("reason", "Enter a reason.");
      try {
        return { verb, outcomes: await decideAll(decision) };
      } finally {
        setProgress(undefined);
      }
    },
    { failsIn: "form", refreshes: [`program ${program.id} `], onDone: ({ outcomes }) => onDone(outcomes) },
  );
  return { ...action, progress };
}
export type Decide = ReturnType<typeof useDecide>;

export interface DecisionDialogProps {
  readonly asked: Decision;
  readonly decide: Decide;
  readonly onClose: () => void;
}

const routes = api.programs[":programId"].commissions;

function send(decision: Decision, param: ReturnType<typeof paramOf>, json: Call): Promise<Reply> {
  const { verb, note, notes = { reason: "" } } = decision;
  // A call that decides by a filter has no ids. A release and a hold always have ids.
  const ids = "ids" in json ? json.ids : [];
  switch (verb) {
    case "approve":
      return take(routes.approve.$post({ param, json }));
    case "reject":
      return take(routes.reject.$post({ param, json: { ...json, ...notes } }));
    case "hold":
      return take(routes.hold.$post({ param, json: { ids, ...notes } }));
    case "release":
      return take(routes.release.$post({ param, json: { ids, ...(note && { note }) } }));
  }
}

const firstCall = (
  commissions: readonly Decidable[],
  matching: Matching | undefined,
  filter: object | undefined,
): Call | undefined =>
  matching === undefined || filter === undefined
    ? { ids: commissions.map(({ id }) => id) }
    : { filter, expectedCount: matching.count };

function filterOf(filters: Filters, program: Parameters<typeof listQuery>[1]) {
  const {
    sort: _sort,
    order: _order,
    unconfirmed: _unconfirmed,
    held: _held,
    flag: _flag,
    ...filter
  } = listQuery(filters, program);
  return { ...filter, ...(isOfUnconfirmed(filters) && { unconfirmed: true }) };
}

const maxPatienceSeconds = 120;

/** Repeats the call after each pause that the service asks for, instead of giving up on the remaining commissions. */
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
