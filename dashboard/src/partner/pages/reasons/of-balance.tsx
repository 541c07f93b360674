import type { JSX } from "preact";
import { Money } from "../../../components/numbers.tsx";
import { entriesOf } from "../../../components/statement/closing-sums.ts";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { formatDate } from "../../../format.ts";
import { NoReasons } from "../../../reasons/host.tsx";
import { OfEntries } from "../../../reasons/of-statement.tsx";
import { Rows, Sum, usePages } from "../../../reasons/parts.tsx";
import { balanceEquation, balanceFields, noBalance } from "../../../reasons/statement-reasons.ts";
import { type Commission, useCommissions } from "../commissions/queries.ts";
import { changeTexts, statusText } from "../commissions/words.ts";
import { comesWhen } from "../overview/comes-when.ts";
import { useOverview } from "../overview/queries.ts";
import { useStatement } from "../payouts/queries.ts";
import { ExportStatement } from "./of-statement.tsx";

const titles = {
  pending: "On hold",
  payable: "To be paid",
  inPayout: "Being paid",
  paid: "Paid so far",
  carried: "To be deducted",
} as const;

/** Statuses of the commissions that are listed below a balance. */
const statuses = { pending: "pending", payable: "approved", inPayout: "approved" } as const;

interface OfBalanceProps {
  readonly field: string;
  readonly currency: string;
}

export function OfBalance({ field: named, currency }: OfBalanceProps): JSX.Element {
  const field = balanceFields.find((each) => each === named);
  const statement = useStatement({ currency });
  const overview = useOverview("90d").data;
  if (field === undefined) return <NoReasons />;
  const file = <ExportStatement filters={{ currency }} />;
  return (
    <Loaded query={{ ...statement, data: overview && statement.data }} skeleton={<Skeleton lines={6} />}>
      {(found) => {
        const balance = overview?.data.balances.find((each) => each.currency === currency) ?? {
          ...noBalance,
          currency,
        };
        const equation = balanceEquation(found.data, balance, field, titles);
        if (field === "paid") {
          return (
            <OfEntries statement={found} equation={equation} entries={entriesOf(found.data, "paid", "returned")}>
              {file}
            </OfEntries>
          );
        }
        const next = overview?.data.nextPayout;
        const today = overview?.meta.dateTo ?? "";
        const note = [
          ...(field === "payable" && next?.currency === currency ? [comesWhen(next, balance, today)] : []),
          ...(field !== "pending" && balance.inPayoutCents !== 0
            ? ["The list includes amounts that are being paid."]
            : []),
        ].join(" ");
        return (
          <>
            <Sum equation={equation} note={note || undefined}>
              {file}
            </Sum>
            <OwnRows status={statuses[field]} currency={currency} />
          </>
        );
      }}
    </Loaded>
  );
}

interface OwnRowsProps {
  readonly status: "pending" | "approved";
  readonly currency: string;
}

/** Rows of the partner's commissions with a status, each with its changes. */
function OwnRows({ status, currency }: OwnRowsProps): JSX.Element {
  const { cursor, pagination } = usePages();
  const commissions = useCommissions({ status, cursor });
  return (
    <Loaded query={commissions} skeleton={<Skeleton lines={6} />}>
      {({ data, meta }) => (
        <>
          <Rows label="Commissions" rows={data.filter((each) => each.currency === currency).map(rowOf)} />
          {pagination(meta.nextCursor)}
        </>
      )}
    </Loaded>
  );
}

const rowOf = (commission: Commission) => ({
  key: commission.ref,
  title: commission.ref,
  detail: <Detail commission={commission} />,
  amount: <Money amountCents={commission.amountCents} currency={commission.currency} />,
});

/** Everything that explains a commission to its partner. */
function Detail({ commission }: { readonly commission: Commission }): JSX.Element {
  const { date, currency, changes, partnerNote } = commission;
  const { title, detail } = statusText(commission);
  return (
    <>
      Sale of {formatDate(date)} · {title}
      {detail !== undefined && ` ${detail}`}
      {changes.length > 1 &&
        changes.map((change, i) => (
          <span key={i}>
            {" "}
            · {changeTexts[change.kind]} <Money amountCents={change.amountCents} currency={currency} />
          </span>
        ))}
      {partnerNote !== null && (
        <>
          {" "}
          · <bdi>{partnerNote}</bdi>
        </>
      )}
    </>
  );
}
