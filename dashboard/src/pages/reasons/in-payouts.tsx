import type { JSX } from "preact";
import { usePartner } from "../../api/partners.ts";
import { moneyLabels, sumLabels } from "../../outcome-labels.ts";
import { equationText, termsOf } from "../../reasons/equation.ts";
import { noBalance } from "../../reasons/statement-reasons.ts";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";
import { type Totals, useBalances } from "../payouts/queries.ts";
import { balanceIn } from "./balance.tsx";

type Balance = Pick<Totals, "payableCents" | "inPayoutCents" | "carriedCents" | "paidCents">;

interface InPayoutsProps {
  readonly status: "approved" | "paid";
  readonly currency: string;
  /** The sum of the commissions. */
  readonly amountCents: number;
}

/** Says how the balances on the page Payouts follow from a sum of commissions. */
export const InPayouts = ({ partnerId, ...props }: InPayoutsProps & { readonly partnerId: string | undefined }) =>
  partnerId === undefined ? <OfAll {...props} /> : <OfOne {...props} partnerId={partnerId} />;

function OfAll(props: InPayoutsProps): JSX.Element | null {
  const totals = useBalances(props.currency, undefined).data?.meta.totals;
  if (totals === undefined) return null;
  return <Line {...props} balance={totals.find(({ currency }) => currency === props.currency) ?? noBalance} />;
}

function OfOne({ partnerId, ...props }: InPayoutsProps & { readonly partnerId: string }): JSX.Element | null {
  const partner = usePartner(partnerId).data;
  return partner === undefined ? null : <Line {...props} balance={balanceIn(partner, props.currency)} />;
}

const { payable, inPayout, carried, paid } = moneyLabels;

const sums = {
  approved: {
    what: `${payable}, ${inPayout} and ${carried}`.toLowerCase(),
    of: ({ payableCents, inPayoutCents, carriedCents }: Balance) => payableCents + inPayoutCents + carriedCents,
  },
  paid: { what: paid.toLowerCase(), of: ({ paidCents }: Balance) => paidCents },
} as const;

function Line({
  status,
  currency,
  amountCents,
  balance,
}: InPayoutsProps & { readonly balance: Balance }): JSX.Element | null {
  const { program } = useProgram();
  const { what, of } = sums[status];
  const inPayoutsCents = of(balance);
  if (inPayoutsCents === amountCents) return null;
  const terms = termsOf(
    [`commissions ${sumLabels[status].toLowerCase()}`, amountCents],
    ["bonuses, deductions, and refunds after payment", inPayoutsCents - amountCents],
  );
  return (
    <p class="soft">
      In <a href={programAddress(program.id, "payouts")}>Payouts</a>:{" "}
      {equationText({ what, amountCents: inPayoutsCents, currency, terms })}.
    </p>
  );
}
