import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/numbers.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, pluralize } from "../../format.ts";
import { AskForDetails } from "../../forms/ask-for-details.tsx";
import { Partner } from "./lines.tsx";
import { type PayoutWithLines, useBalances } from "./queries.ts";
import { skipText } from "./words.ts";

type Skipped = Pick<PayoutWithLines["skipped"][number], "partnerId" | "partnerCode" | "name" | "amountCents"> & {
  readonly why: string;
};

interface LeftOutProps {
  readonly payout: PayoutWithLines;
}

/** The partners who have something to pay out, but aren't in the payout. */
export default function LeftOut({ payout }: LeftOutProps): JSX.Element | null {
  return payout.status === "draft" ? <OfDraft payout={payout} /> : <List payout={payout} others={[]} />;
}

/** A draft may be limited to some partners, so the others are read from the balances. */
function OfDraft({ payout }: LeftOutProps): JSX.Element | null {
  const balances = useBalances(payout.currency, undefined).data?.data ?? [];
  const known = new Set([...payout.lines, ...payout.skipped].map(({ partnerId }) => partnerId));
  const others = balances
    .filter(({ partnerId, payableCents }) => payableCents > 0 && !known.has(partnerId))
    .map(({ payableCents, ...partner }) => ({
      ...partner,
      amountCents: payableCents,
      why: "Not part of this draft. The amount is left for a later payout.",
    }));
  return <List payout={payout} others={others} />;
}

const shownAtFirst = 20;

function List({
  payout: { skipped, currency, status },
  others,
}: LeftOutProps & { readonly others: readonly Skipped[] }): JSX.Element | null {
  const rows = [...skipped.map((each) => ({ ...each, why: skipText(each) })), ...others];
  const [isWhole, setIsWhole] = useState(false);
  if (rows.length === 0) return null;
  const columns: Column<Skipped>[] = [
    { head: "Partner", cell: (line) => <Partner {...line} currency={currency} /> },
    {
      head: "Balance",
      isNumber: true,
      cell: ({ amountCents }) => <Money amountCents={amountCents} currency={currency} />,
    },
    { head: "Why", cell: ({ why }) => <span class="why">{why}</span> },
  ];
  const unknown = skipped.filter(({ reason }) => reason === "no_details").map(({ partnerId }) => partnerId);
  return (
    <div class="stack payouts row-cards">
      <h2>Left out</h2>
      {status === "draft" && unknown.length > 0 && (
        <div class="stack">
          <AskForDetails
            label={`Ask ${pluralize(unknown.length, "partner")} for payment details`}
            partnerIds={unknown}
          />
        </div>
      )}
      <Table
        caption="Left out"
        columns={columns}
        rows={isWhole ? rows : rows.slice(0, shownAtFirst)}
        rowKey={({ partnerId }) => partnerId}
      />
      {!isWhole && rows.length > shownAtFirst && (
        <div class="row">
          <Button onClick={() => setIsWhole(true)}>Show all {formatCount(rows.length)}</Button>
        </div>
      )}
    </div>
  );
}
