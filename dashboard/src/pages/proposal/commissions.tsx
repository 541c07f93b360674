import type { JSX } from "preact";
import { type Decision, useDecide } from "../commissions/decide.ts";
import DecisionDialog from "../commissions/decision-dialog.tsx";
import Outcomes from "../commissions/outcomes.tsx";
import { affectedBy } from "./affected.ts";
import { type ChangeProps, notesIn } from "./change-props.ts";

export default function ProposedCommissions({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element {
  const decide = useDecide(onDone);
  const { verb, commissions } = affectedBy(of);
  const asked: Decision = { verb, commissions, notes: notesIn(of) };
  return (
    <>
      <Outcomes decide={decide} />
      {isOpen && commissions.length > 0 && <DecisionDialog asked={asked} decide={decide} onClose={onClose} />}
    </>
  );
}
