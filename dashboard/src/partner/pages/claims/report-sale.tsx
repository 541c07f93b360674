import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { daysAround } from "#domain/claim.ts";
import { useAction } from "../../../api/use-action.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field, Form, TextArea, TextField, type Values } from "../../../components/form.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { formatDate } from "../../../format.ts";
import { usePartner } from "../../access.tsx";
import { useCommissions } from "../commissions/queries.ts";
import { statusText } from "../commissions/words.ts";
import { type Reported, useReport } from "./queries.ts";
import { readClaim } from "./read-claim.ts";

/** Reports a sale that is missing from the partner's commissions. */
export default function ReportSale({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [reported, setReported] = useState<Reported>();
  return (
    <Dialog title="A sale is missing" onClose={onClose}>
      {reported === undefined ? (
        <ReportForm onDone={setReported} onCancel={onClose} />
      ) : (
        <Answer reported={reported} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReportFormProps {
  readonly onDone: (reported: Reported) => void;
  readonly onCancel: () => void;
}

function ReportForm({ onDone, onCancel }: ReportFormProps): JSX.Element {
  const { partner } = usePartner();
  const { report, refreshes } = useReport();
  const send = useAction((values: Values) => report(readClaim(values)), {
    failsIn: "form",
    refreshes,
    onDone: ({ data }) => onDone(data),
  });
  return (
    <Form action={send} submit="Report sale" onCancel={onCancel}>
      <Field
        name="day"
        label="Day of the sale"
        hint="If you aren't sure, choose the likeliest day. The two days before and after are searched too."
        control={(wiring) => <input {...wiring} type="date" class="control" required />}
      />
      <TextField name="amountCents" label="Amount that the customer paid" inputMode="decimal" isOptional />
      <TextField name="currency" label="Currency" value={partner.currency} />
      <TextField name="reference" label="Order number or other reference" isOptional />
      <TextArea
        name="note"
        label="Note to the program"
        hint="For example, where the customer saw your link. Leave out names and email addresses."
        isOptional
      />
    </Form>
  );
}

interface AnswerProps {
  readonly reported: Reported;
  readonly onClose: () => void;
}

/** The partner's own sales around the day. Takes focus, since the form that had it is gone. */
function Answer({ reported, onClose }: AnswerProps): JSX.Element {
  const own = reported.own ?? [];
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.focus(), []);
  return (
    <div ref={container} tabIndex={-1} class="stack claim-answer">
      <Notice look="good">
        The program will review your claim. Its answer will appear under Missing sales on this page.
      </Notice>
      {own.length === 0 ? (
        <p>None of your sales is around that day.</p>
      ) : (
        <>
          <p>Your sales around that day:</p>
          <OwnSales day={reported.day} refs={own} onOpen={onClose} />
        </>
      )}
      <div class="row">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

interface OwnSalesProps {
  readonly day: string;
  readonly refs: readonly string[];
  readonly onOpen: () => void;
}

/** Lists the commissions with these references, each with a link to its row. */
function OwnSales({ day, refs, onOpen }: OwnSalesProps): JSX.Element {
  const { address } = usePartner();
  const commissions = useCommissions({ ...daysAround(day) });
  return (
    <Loaded query={commissions} skeleton={<Skeleton lines={refs.length} />}>
      {({ data }) => (
        <ul class="own-sales" aria-label="Your sales around that day">
          {data
            .filter(({ ref }) => refs.includes(ref))
            .map((commission) => (
              <li key={commission.ref} class="row spread">
                <span>
                  <a href={address("commissions", { from: commission.date, to: commission.date })} onClick={onOpen}>
                    {formatDate(commission.date)}, {commission.ref}
                  </a>{" "}
                  <Badge tone={statusText(commission).tone}>{statusText(commission).title}</Badge>
                </span>
                <Money amountCents={commission.amountCents} currency={commission.currency} />
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  );
}
