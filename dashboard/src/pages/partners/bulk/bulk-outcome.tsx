import type { JSX } from "preact";
import { useMany } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { OutcomeList } from "../../../components/outcome-list.tsx";
import { Running } from "./running.tsx";
import type { BulkResult } from "./verbs.ts";

interface BulkOutcomeProps {
  readonly result: BulkResult;
  /** Receives the result of an undo. */
  readonly onUndone: (result: BulkResult) => void;
}

export default function BulkOutcome({ result, onUndone }: BulkOutcomeProps): JSX.Element {
  const many = useMany();
  const { undo } = result;
  return (
    <OutcomeList
      result={result}
      refused={result.refused}
      isIncomplete={!result.isComplete}
      action={
        undo && (
          <p class="row">
            {many.progress === undefined && (
              <Button onClick={() => void undo.run(many).then(onUndone)}>{undo.label}</Button>
            )}
            <Running many={many} label="Undone" />
          </p>
        )
      }
    >
      {result.text}
    </OutcomeList>
  );
}
