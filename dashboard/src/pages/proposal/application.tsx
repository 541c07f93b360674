import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Decided } from "../partners/applications/decide.ts";
import { noGroup } from "../partners/applications/decide.ts";
import { DecisionDialog } from "../partners/applications/decision-dialog.tsx";
import { Outcomes } from "../partners/applications/outcomes.tsx";
import { type ChangeProps, valuesIn } from "./change-props.ts";

export default function ProposedApplication({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element | null {
  const [decided, setDecided] = useState<Decided>();
  const { application, target, body } = of;
  if (decided !== undefined) return <Outcomes decided={decided} />;
  if (!isOpen || application === null) return null;
  const verb = target.endsWith("/approve") ? "approve" : "decline";
  const values = valuesIn(of, "code", "groupId", "partnerNote");
  const asked = {
    verb,
    applications: [application],
    values: { ...values, ...(body.groupId === null && { groupId: noGroup }) },
  } as const;
  return (
    <DecisionDialog
      asked={asked}
      onClose={onClose}
      onDone={(done) => {
        setDecided(done);
        onDone();
      }}
    />
  );
}
