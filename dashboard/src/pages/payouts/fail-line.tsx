import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { Money } from "../../components/numbers.tsx";
import { NoteFields, notesOf } from "../../forms/note-fields.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { failLabel, isOpen } from "./fail-label.ts";
import { affected, type Line, type Payout } from "./queries.ts";
import { restoredIn } from "./refusals.ts";

interface FailLineProps {
  readonly payout: Payout;
  readonly line: Line;
  readonly onClose: () => void;
}

export function FailLine({ payout, line, onClose }: FailLineProps): JSX.Element {
  const { program } = useProgram();
  const [entered, setEntered] = useState<Values>({});
  const fail = useAction(
    ({ restoreAcknowledged, ...values }: Values) => {
      setEntered(values);
      const param = { ...paramOf(program), payoutId: String(payout.id), partnerId: String(line.partnerId) };
      const { fail: route } = api.programs[":programId"].payouts[":payoutId"].lines[":partnerId"];
      const json = {
        ...notesOf(values),
        expectedState: isOpen(line) ? ("open" as const) : ("settled" as const),
        ...(restoreAcknowledged !== undefined && { restoreAcknowledged }),
      };
      return take(route.$post({ param, json }));
    },
    {
      failsIn: "form",
      done: isOpen(line) ? "Line given back." : "Payment marked as failed.",
      refreshes: affected(program),
      onDone: onClose,
    },
  );
  const label = failLabel(line);
  return (
    <Dialog title={`${label}?`} onClose={onClose}>
      <p class="breakable">
        <Money amountCents={line.amountCents} currency={payout.currency} /> to {namedByCode(line)} becomes payable
        again, and the next payout includes it. You can't undo this.
      </p>
      <Form
        action={restoredIn(fail.failure) === undefined ? fail : { ...fail, failure: undefined }}
        submit={label}
        submitLook="destructive"
        onCancel={onClose}
      >
        <NoteFields />
      </Form>
      <AskAfterRestore
        wasFinal
        {...fail}
        action={label}
        onAcknowledge={(restoreAcknowledged) => fail.run({ ...entered, restoreAcknowledged })}
      />
    </Dialog>
  );
}
