import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Failure } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Money } from "../../components/numbers.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import { type Restored, restoredIn } from "./refusals.ts";

export interface AfterRestoreProps {
  readonly failure: Failure | undefined;
  /** The action that the user started, with the words of its button. */
  readonly action: string;
  /** True if the payout was already final in the backup. */
  readonly wasFinal?: boolean;
  readonly isPending: boolean;
  readonly onAcknowledge: (restoredAt: string) => void;
}

/** Asks for confirmation before the first payout after a restore: payouts made since the backup could be paid twice. */
export default function AfterRestore({ failure, ...asked }: AfterRestoreProps): JSX.Element | null {
  const [closed, setClosed] = useState<Restored>();
  const restored = restoredIn(failure);
  if (restored === undefined || restored === closed) return null;
  return <Question {...asked} restored={restored} onClose={() => setClosed(restored)} />;
}

interface QuestionProps extends Omit<AfterRestoreProps, "failure"> {
  readonly restored: Restored;
  readonly onClose: () => void;
}

function Question(props: QuestionProps): JSX.Element {
  const { restored, action, wasFinal = false, isPending, onAcknowledge, onClose } = props;
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
        {wasFinal
          ? "This payout was final in the backup. It may have been sent, marked as paid or canceled since: check with your bank, or your own system, before you go on."
          : "Enter each later payout again from its payment list, with the same partners, reference and date, and settled by a person. Otherwise this payout may pay partners twice."}
      </p>
      <label class="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setIsSure(event.currentTarget.checked)} />
        <span>
          {wasFinal ? "I know what happened to this payout" : "This is one of the missing payouts, or none is missing"}
        </span>
      </label>
      <div class="row">
        <Button look="primary" isPending={isPending} isDisabled={!isSure} onClick={() => onAcknowledge(restoredAt)}>
          {action}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

function LastPayout({ restored: { lastPayout } }: Pick<QuestionProps, "restored">): JSX.Element {
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
