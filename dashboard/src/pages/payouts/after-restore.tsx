import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Money } from "../../components/numbers.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import type { Restored } from "./refusals.ts";

interface AfterRestoreProps {
  readonly restored: Restored;
  readonly isPending: boolean;
  readonly onAcknowledge: () => void;
  readonly onClose: () => void;
}

/** Asked before the first payout after a restore: payouts since the backup could be paid twice. */
export function AfterRestore({ restored, isPending, onAcknowledge, onClose }: AfterRestoreProps): JSX.Element {
  const [isSure, setIsSure] = useState(false);
  const { restoredAt, backupAt } = restored;
  return (
    <Dialog title="Were partners paid since the backup?" onClose={onClose}>
      <p>
        The service was restored from a backup on <Instant at={restoredAt} />. Everything recorded since{" "}
        {backupAt === null ? "the backup" : <Instant at={backupAt} />} is missing, including payouts.
      </p>
      <p>
        <LastPayout restored={restored} />
      </p>
      <p>
        Enter each later payout again from its payment list, with the same partners, reference and date. Otherwise this
        payout may pay partners twice.
      </p>
      <label class="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setIsSure(event.currentTarget.checked)} />
        <span>This payout is one of those, or none is missing</span>
      </label>
      <div class="row">
        <Button look="primary" isPending={isPending} isDisabled={!isSure} onClick={onAcknowledge}>
          Finalize
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

function LastPayout({ restored: { lastPayout } }: Pick<AfterRestoreProps, "restored">): JSX.Element {
  if (lastPayout === null) return <>The backup has no payout of this program.</>;
  const { reference, totalCents, currency, paidAt } = lastPayout;
  return (
    <>
      The last payout in the backup is <b>{reference}</b>: <Money amountCents={totalCents} currency={currency} />,{" "}
      {paidAt === null ? (
        "not marked as paid"
      ) : (
        <>
          paid on <DayOf at={paidAt} />
        </>
      )}
      .
    </>
  );
}
