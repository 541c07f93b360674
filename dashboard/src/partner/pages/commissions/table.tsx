import type { JSX } from "preact";
import { Badge } from "../../../components/badge.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Table } from "../../../components/table.tsx";
import { formatDate } from "../../../format.ts";
import type { Commission } from "./queries.ts";
import { changeTexts, statusText } from "./words.ts";

interface CommissionTableProps {
  readonly commissions: readonly Commission[];
  readonly isStale: boolean;
}

export const CommissionTable = ({ commissions, isStale }: CommissionTableProps): JSX.Element => (
  <>
    <p class="hint">Last recorded first, with the day of the sale.</p>
    <div class="row-cards own-commissions">
      <Table
        caption="Commissions"
        columns={[
          {
            head: "Reference",
            cell: ({ date, ref }) => (
              <span class="two-lines">
                <time dateTime={date}>{formatDate(date)}</time>
                <small>{ref}</small>
              </span>
            ),
          },
          { head: "Status", cell: (commission) => <Status commission={commission} /> },
          { head: "Sub-ID", cell: ({ sub }) => sub !== null && <bdi>{sub}</bdi> },
          { head: "Changes", cell: (commission) => <Changes commission={commission} /> },
          {
            head: "Amount",
            isNumber: true,
            cell: ({ amountCents, currency }) => <Money amountCents={amountCents} currency={currency} />,
          },
        ]}
        rows={commissions}
        rowKey={({ ref }) => ref}
        isStale={isStale}
      />
    </div>
  </>
);

function Status({ commission }: { readonly commission: Commission }): JSX.Element {
  const { title, tone, detail } = statusText(commission);
  return (
    <span class="two-lines">
      <Badge tone={tone}>{title}</Badge>
      {detail !== undefined && <small>{detail}</small>}
      {commission.partnerNote !== null && <small class="partner-note">{commission.partnerNote}</small>}
    </span>
  );
}

/** The changes of a commission after it was earned. */
function Changes({ commission }: { readonly commission: Commission }): JSX.Element | null {
  const { changes, currency } = commission;
  if (changes.length < 2) return null;
  return (
    <ul class="changes">
      {changes.map(({ kind, amountCents, date }, i) => (
        <li key={i}>
          {formatDate(date)}: {changeTexts[kind]} <Money amountCents={amountCents} currency={currency} />
        </li>
      ))}
    </ul>
  );
}
