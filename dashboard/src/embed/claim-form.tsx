import type { JSX, TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { maxClaimNote, maxReference } from "#domain/claim.ts";
import { take } from "../api/client.ts";
import { Failure } from "../api/failure.ts";
import { refresh } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { readClaim } from "../partner/pages/claims/read-claim.ts";
import { embedApi, header } from "./client.ts";
import { whyNoClaim } from "./words.ts";

const send = (form: HTMLFormElement) => {
  const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  return take(embedApi.claims.$post({ header, json: readClaim(values) }));
};

export type Reported = Awaited<ReturnType<typeof send>>["data"];

interface ClaimFormProps {
  /** The currency of the amount, unless the person enters another. */
  readonly currency: string;
  readonly onDone: (reported: Reported) => void;
  readonly onCancel: () => void;
}

export function ClaimForm({ currency, onDone, onCancel }: ClaimFormProps): JSX.Element {
  const [isPending, setIsPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isPending) return;
    setIsPending(true);
    try {
      const { data } = await send(event.currentTarget);
      refresh("claims");
      onDone(data);
    } catch (error) {
      const cause = Failure.of(error);
      // A 401 is shown by the page itself, which says that the access has ended.
      setFailure(cause.status === 401 ? undefined : cause);
      setIsPending(false);
    }
  };
  return (
    <form class="claim" onSubmit={(event) => void onSubmit(event)}>
      <ClaimField label="Day of the sale" hint="The two days before and after are searched too.">
        {(wiring) => <input {...wiring} ref={focusOnce} name="day" type="date" required />}
      </ClaimField>
      <ClaimField label="Amount that the customer paid (optional)">
        {(wiring) => <input {...wiring} name="amountCents" inputMode="decimal" autocomplete="off" />}
      </ClaimField>
      <ClaimField label="Currency">
        {(wiring) => <input {...wiring} name="currency" required defaultValue={currency} autocomplete="off" />}
      </ClaimField>
      <ClaimField label="Order number or other reference (optional)">
        {(wiring) => <input {...wiring} name="reference" maxLength={maxReference} autocomplete="off" />}
      </ClaimField>
      <ClaimField label="Note (optional)" hint="Leave out names and email addresses of customers.">
        {(wiring) => <textarea {...wiring} name="note" rows={3} maxLength={maxClaimNote} />}
      </ClaimField>
      {failure !== undefined && (
        <p class="fault" role="alert">
          {whyNoClaim(failure)}
        </p>
      )}
      <div class="row">
        <Button type="submit" look="primary" isPending={isPending}>
          Report sale
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

interface Wiring {
  readonly id: string;
  readonly class: string;
  readonly "aria-describedby": string | undefined;
}

interface ClaimFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: (wiring: Wiring) => JSX.Element;
}

function ClaimField({ label, hint, children }: ClaimFieldProps): JSX.Element {
  const id = useId();
  return (
    <div>
      <label for={id}>{label}</label>
      {children({ id, class: "control", "aria-describedby": hint && `${id}-hint` })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus();
