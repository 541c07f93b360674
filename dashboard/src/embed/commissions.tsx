import type { JSX } from "preact";
import { Badge } from "../components/badge.tsx";
import { Money } from "../components/numbers.tsx";
import { formatDate } from "../format.ts";
import { statusText } from "../partner/pages/commissions/words.ts";
import { Paged } from "./list.tsx";
import { type Commission, useCommissions } from "./queries.ts";

export const Commissions = (): JSX.Element => (
  <Paged
    title="Your commissions"
    hint="Last recorded first, with the day of the sale."
    empty="What you earn from each sale appears here."
    usePage={useCommissions}
    rowKey={({ ref }: Commission) => ref}
  >
    {(commission) => <OneCommission of={commission} />}
  </Paged>
);

export function OneCommission({ of }: { readonly of: Commission }): JSX.Element {
  const { date, amountCents, currency, partnerNote } = of;
  const { title, tone, detail } = statusText(of);
  return (
    <>
      <span>
        <time dateTime={date}>{formatDate(date)}</time> <Badge tone={tone}>{title}</Badge>
        {detail !== undefined && <span class="soft small detail">{detail}</span>}
        {partnerNote !== null && <span class="soft small detail">{partnerNote}</span>}
      </span>
      <Money amountCents={amountCents} currency={currency} />
    </>
  );
}
