import type { JSX } from "preact";
import { type Decision, mayApprove, mayHold, mayReject, useDecide } from "../commissions/decide.ts";
import DecisionDialog from "../commissions/decision-dialog.tsx";
import Outcomes from "../commissions/outcomes.tsx";
import { type ChangeProps, notesIn } from "./change-props.ts";

const may = { approve: mayApprove, reject: mayReject, hold: mayHold } as const;

export default function ProposedCommissions({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element {
  const decide = useDecide(onDone);
  const verb = of.action === "reject" || of.action === "hold" ? of.action : "approve";
  const commissions = of.commissions.filter(may[verb]);
  const asked: Decision = { verb, commissions, notes: notesIn(of) };
  return (
    <>
      <Outcomes decide={decide} />
      {isOpen && commissions.length > 0 && <DecisionDialog asked={asked} decide={decide} onClose={onClose} />}
    </>
  );
}
