import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { dayIn, startOfDay } from "#domain/calendar.ts";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, filled, TextField, type Values } from "../../components/form.tsx";
import { Money } from "../../components/numbers.tsx";
import { pluralize } from "../../format.ts";
import { DayField } from "../../forms/day-field.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { CancelPayout } from "./cancel-payout.tsx";
import { DownloadButton } from "./download-button.tsx";
import { MailsOnPaid } from "./mails-on-paid.tsx";
import { NeedsOther } from "./needs-other.tsx";
import { affected, type PayoutWithLines } from "./queries.ts";
import { restoredIn } from "./refusals.ts";

/** The start of an earlier day. It isn't in the service's future even if this browser's clock is hours ahead. */
const startOfDayText = (timezone: string, day: string): string => new Date(startOfDay(timezone, day)).toISOString();

interface PayFinalProps {
  readonly payout: PayoutWithLines;
}

export function PayFinal({ payout }: PayFinalProps): JSX.Element {
  const { program, userId } = useProgram();
  const [isPaying, setIsPaying] = useState(false);
  const needsOther = program.payoutApproval === "two_people";
  const isOwn = needsOther && payout.finalizedBy === userId;
  return (
    <Card
      title="Send the money"
      lead="The amounts are final. Download the payment list, pay your partners, then mark the payout as paid."
    >
      {isOwn && <NeedsOther userId={userId} task="mark it as paid" />}
      <div class="row">
        {!isOwn && (
          <Button look="primary" onClick={() => setIsPaying(true)}>
            Mark as paid…
          </Button>
        )}
        <DownloadButton payout={payout} />
        <CancelPayout payout={payout} />
      </div>
      {isPaying && <MarkAsPaid payout={payout} onClose={() => setIsPaying(false)} />}
    </Card>
  );
}

function MarkAsPaid({ payout, onClose }: PayFinalProps & { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const { id, totalCents, lineCount, currency } = payout;
  const today = dayIn(program.timezone, Date.now());
  const [entered, setEntered] = useState<Values>({});
  const confirm = useAction(
    ({ restoreAcknowledged, ...values }: Values) => {
      setEntered(values);
      const { paidAt = today, note } = values;
      const param = { ...paramOf(program), payoutId: String(id) };
      const json = {
        expectedTotalCents: totalCents,
        note: filled(note),
        ...(paidAt !== "" && paidAt !== today && { paidAt: startOfDayText(program.timezone, paidAt) }),
        ...(restoreAcknowledged !== undefined && { restoreAcknowledged }),
      };
      return take(api.programs[":programId"].payouts[":payoutId"].confirm.$post({ param, json }));
    },
    { failsIn: "form", done: "Payout recorded.", refreshes: affected(program), onDone: onClose },
  );
  return (
    <Dialog title="Mark as paid" onClose={onClose}>
      <p>
        Records that you've paid <Money amountCents={totalCents} currency={currency} /> to{" "}
        {pluralize(lineCount, "partner")}. Tributary doesn't move money. You can't cancel a paid payout, but you can
        mark single payments as failed.
      </p>
      <MailsOnPaid lines={payout.lines} />
      <Form
        action={restoredIn(confirm.failure) === undefined ? confirm : { ...confirm, failure: undefined }}
        submit="Mark as paid"
        onCancel={onClose}
      >
        <div class="columns">
          <DayField name="paidAt" label="Paid on" value={today} max={today} />
          <TextField name="note" label="Note" hint="Visible to your team." isOptional />
        </div>
      </Form>
      <AskAfterRestore
        wasFinal
        {...confirm}
        action="Mark as paid"
        onAcknowledge={(restoreAcknowledged) => confirm.run({ ...entered, restoreAcknowledged })}
      />
    </Dialog>
  );
}
