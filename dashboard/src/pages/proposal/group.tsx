import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { groupQueryKeys } from "../../api/groups.ts";
import { refresh } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import BulkOutcome from "../partners/bulk/bulk-outcome.tsx";
import { GroupDialog } from "../partners/bulk/group-dialog.tsx";
import type { BulkResult } from "../partners/bulk/verbs.ts";
import type { ChangeProps } from "./change-props.ts";
import { idIn } from "./use-proposal.ts";

export default function ProposedGroup({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element | null {
  const { program } = useProgram();
  const [result, setResult] = useState<BulkResult>();
  if (result !== undefined) return <BulkOutcome result={result} onUndone={setResult} />;
  if (!isOpen) return null;
  return (
    <GroupDialog
      partners={of.partners}
      groupId={of.target.startsWith("groups/none/") ? null : idIn(of)}
      onClose={onClose}
      onDone={(done) => {
        refresh(...groupQueryKeys(program.id));
        setResult(done);
        onDone();
      }}
    />
  );
}
