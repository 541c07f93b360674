import { api, take } from "../../api/client.ts";
import { Failure, fieldError } from "../../api/failure.ts";
import { mapConcurrent } from "../../api/map-concurrent.ts";
import { errorMessage, useAction } from "../../api/use-action.ts";
import { useProgram } from "../../session.tsx";
import type { Commission } from "./queries.ts";

export type Decidable = Pick<
  Commission,
  "id" | "transactionId" | "status" | "unconfirmed" | "inPayout" | "amountCents" | "currency" | "partnerName"
>;

export type Decision =
  | { readonly verb: "approve"; readonly commissions: readonly Decidable[] }
  | { readonly verb: "reject"; readonly commissions: readonly Decidable[]; readonly reason: string };

export interface Outcome {
  readonly commission: Decidable;
  /** Undefined if the decision was accepted. */
  readonly refusal: string | undefined;
}

const maxConcurrent = 4;

export const mayApprove = ({ status }: Pick<Decidable, "status">): boolean => status === "pending";
export const isUnconfirmed = ({ status, unconfirmed }: Pick<Decidable, "status" | "unconfirmed">): boolean =>
  status === "pending" && unconfirmed;
export const mayReject = ({ status, inPayout }: Pick<Decidable, "status" | "inPayout">): boolean =>
  status === "pending" || (status === "approved" && !inPayout);

/** Many at once, and what approves more than itself, takes a second look. */
export const isToConfirm = (commissions: readonly Decidable[]): boolean =>
  commissions.length > 1 || commissions.some(isUnconfirmed);

/** Decides each commission on its own: one refusal doesn't stop the others. */
export function useDecide(onDone: () => void) {
  const { program } = useProgram();
  const routes = api.programs[":programId"].commissions[":commissionId"];
  const decideOne = async (decision: Decision, commission: Decidable): Promise<Outcome> => {
    const param = { programId: String(program.id), commissionId: String(commission.id) };
    try {
      if (decision.verb === "approve") await take(routes.approve.$post({ param }));
      else await take(routes.reject.$post({ param, json: { reason: decision.reason } }));
      return { commission, refusal: undefined };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { commission, refusal: errorMessage(error) };
    }
  };
  return useAction(
    async (decision: Decision) => {
      if (decision.verb === "reject" && decision.reason.trim() === "") throw fieldError("reason", "Enter a reason.");
      const outcomes = await mapConcurrent(decision.commissions, maxConcurrent, (each) => decideOne(decision, each));
      return { verb: decision.verb, outcomes };
    },
    { failsIn: "form", refreshes: [`program ${program.id} `], onDone },
  );
}
export type Decide = ReturnType<typeof useDecide>;
