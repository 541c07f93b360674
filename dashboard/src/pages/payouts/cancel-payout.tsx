import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { affected, type Payout } from "./queries.ts";
import { failsUnlessRestored } from "./refusals.ts";

export function CancelPayout({ payout: { id, status, settledBy } }: { readonly payout: Payout }): JSX.Element {
  const { program } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const cancel = useAction(
    (restoreAcknowledged: string | undefined) => {
      const param = { ...paramOf(program), payoutId: String(id) };
      const query = {
        ...((status === "draft" || status === "final") && { expectedStatus: status }),
        ...(restoreAcknowledged !== undefined && { restoreAcknowledged }),
      };
      return take(api.programs[":programId"].payouts[":payoutId"].cancel.$post({ param, query }));
    },
    { done: "Payout canceled.", refreshes: affected(program), onDone: close, failsIn: failsUnlessRestored },
  );
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        Cancel payout…
      </Button>
      {isAsking && (
        <Dialog title="Cancel this payout?" onClose={close}>
          <p class="soft">
            {status === "draft"
              ? "The draft is discarded. Nothing was reserved, so balances don't change."
              : settledBy === "api"
                ? "All lines that aren't settled are given back: their amounts become payable again. Settled lines stay paid."
                : "The payout's commissions become payable again. If you've already sent money, mark the payout as paid instead."}{" "}
            You can't undo this, and its reference can't be used again.
          </p>
          <div class="row">
            <Button look="destructive" isPending={cancel.isPending} onClick={() => cancel.run(undefined)}>
              Cancel payout
            </Button>
            <Button onClick={close}>Keep payout</Button>
          </div>
          <AskAfterRestore wasFinal {...cancel} action="Cancel payout" onAcknowledge={cancel.run} />
        </Dialog>
      )}
    </>
  );
}
