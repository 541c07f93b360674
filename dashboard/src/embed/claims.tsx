import "./claims.css";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { daysAround } from "#domain/claim.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Money } from "../components/numbers.tsx";
import { formatDate } from "../format.ts";
import { claimState } from "../partner/pages/claims/words.ts";
import { ClaimForm, type Reported } from "./claim-form.tsx";
import { OneCommission } from "./commissions.tsx";
import { Paged } from "./list.tsx";
import { type Claim, type Overview, useClaims, useCommissionsOf } from "./queries.ts";

/** The sales that the person has reported as missing, and the form to report one. */
export function Claims({ overview: { data, meta } }: { readonly overview: Overview }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const [reported, setReported] = useState<Reported>();
  const isCanceled = useRef(false);
  const open = () => {
    setReported(undefined);
    setIsOpen(true);
  };
  const close = (done?: Reported) => {
    isCanceled.current = done === undefined;
    setReported(done);
    setIsOpen(false);
  };
  // Closing the form removes the focused button, so the focus moves to the button that opens the form.
  const takeFocus = (place: HTMLElement | null) => {
    if (isCanceled.current) place?.querySelector("button")?.focus();
    isCanceled.current = false;
  };
  const report = (
    <>
      {reported !== undefined && <Answer reported={reported} />}
      {isOpen ? (
        <ClaimForm currency={meta.currency} onDone={close} onCancel={() => close()} />
      ) : (
        <div ref={takeFocus}>
          <Button look="quiet" onClick={open}>
            Report a missing sale
          </Button>
        </div>
      )}
    </>
  );
  return (
    <Paged
      title="Missing sales"
      empty="If one of your sales isn't in your list, report it. The program's answer appears here."
      lead={data.status === "active" && report}
      usePage={useClaims}
      rowKey={({ ref }: Claim) => ref}
    >
      {(claim) => <OneClaim of={claim} />}
    </Paged>
  );
}

/** The person's own sales around the day. Takes focus, since the form that had it is gone. */
function Answer({ reported: { day, own } }: { readonly reported: Reported }): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.focus(), []);
  return (
    <div ref={container} tabIndex={-1} class="answer">
      <p>The program will review your claim. Its answer will appear below.</p>
      {own !== null && own.length === 0 && <p>None of your sales is around that day.</p>}
      {own !== null && own.length > 0 && <OwnSales day={day} refs={own} />}
    </div>
  );
}

function OwnSales({ day, refs }: { readonly day: string; readonly refs: readonly string[] }): JSX.Element {
  const { data: page } = useCommissionsOf(daysAround(day));
  return (
    <>
      <p>Your sales around that day:</p>
      <ul class="list" aria-label="Your sales around that day">
        {page?.data
          .filter(({ ref }) => refs.includes(ref))
          .map((commission) => (
            <li key={commission.ref}>
              <OneCommission of={commission} />
            </li>
          ))}
      </ul>
    </>
  );
}

function OneClaim({ of }: { readonly of: Claim }): JSX.Element {
  const { day, amountCents, currency, partnerNote } = of;
  const { title, tone, detail } = claimState(of);
  return (
    <>
      <span>
        <time dateTime={day}>{formatDate(day)}</time> <Badge tone={tone}>{title}</Badge>
        {detail !== undefined && <span class="soft small detail">{detail}</span>}
        {partnerNote !== null && <span class="small detail">The program: {partnerNote}</span>}
      </span>
      {amountCents !== null && currency !== null && <Money amountCents={amountCents} currency={currency} />}
    </>
  );
}
