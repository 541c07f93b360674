import { mayApprove, mayHold, mayReject } from "../commissions/decide.ts";
import type { Proposal } from "./use-proposal.ts";

const may = { approve: mayApprove, reject: mayReject, hold: mayHold } as const;

/** The decision that a proposal asks for, and the commissions that it can change. */
export function affectedBy({ action, commissions }: Pick<Proposal, "action" | "commissions">) {
  const verb = action === "reject" || action === "hold" ? action : "approve";
  return { verb, commissions: commissions.filter(may[verb]) } as const;
}
