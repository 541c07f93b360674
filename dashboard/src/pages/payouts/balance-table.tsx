import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { PartnerName } from "../../components/partner-name.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { statementAddress } from "../../url.ts";
import type { Balance } from "./queries.ts";

interface BalanceTableProps {
  readonly balances: readonly Balance[];
  readonly isStale: boolean;
  /** Selected balances by partner. Undefined if the user can't create a payout. */
  readonly selected: ReadonlyMap<number, Balance> | undefined;
  readonly onSelect: (selected: ReadonlyMap<number, Balance>) => void;
  readonly onAdjust: (balance: Balance) => void;
}

export function BalanceTable({ balances, isStale, selected, onSelect, onAdjust }: BalanceTableProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const amount = (field: "pendingCents" | "inPayoutCents" | "paidCents", head: string): Column<Balance> => ({
    head,
    isNumber: true,
    cell: (balance) => (balance[field] === 0 ? <Nothing /> : <Why balance={balance} field={field} head={head} />),
  });
  const columns: Column<Balance>[] = [
    ...(selected !== undefined && balances.some(isPayable) ? [selector(balances, selected, onSelect)] : []),
    {
      head: "Partner",
      cell: ({ partnerId, partnerCode, name, currency }) => (
        <PartnerName name={name} code={partnerCode} href={statementAddress(program.id, partnerId, currency)} />
      ),
    },
    { head: moneyLabels.payable, isNumber: true, cell: (balance) => <Payable balance={balance} /> },
    amount("pendingCents", moneyLabels.pending),
    amount("inPayoutCents", moneyLabels.inPayout),
    amount("paidCents", moneyLabels.paid),
    ...(mayChange("admin")
      ? [
          {
            head: "Actions",
            isNumber: true,
            cell: (balance: Balance) => (
              <Button look="quiet" label={`Adjust ${namedByCode(balance)}`} onClick={() => onAdjust(balance)}>
                Adjust
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <div class="payouts row-cards">
      <Table
        caption="Balances"
        columns={columns}
        rows={balances}
        rowKey={({ partnerId }) => partnerId}
        isStale={isStale}
      />
    </div>
  );
}

const isPayable = ({ payableCents }: Balance): boolean => payableCents > 0;

interface WhyProps {
  readonly balance: Balance;
  readonly field: "pendingCents" | "payableCents" | "inPayoutCents" | "paidCents" | "carriedCents";
  readonly head: string;
}

/** Opens the reasons of an amount. An amount to be deducted has the same reasons as the amount to be paid. */
const Why = ({ balance, field, head }: WhyProps): JSX.Element => (
  <WhyMoney
    amountCents={balance[field]}
    currency={balance.currency}
    of={reasonsOf("balance", reasonFields[field], balance.partnerId, balance.currency)}
    what={`${head}, ${namedByCode(balance)}`}
  />
);

const reasonFields: Readonly<Record<WhyProps["field"], string>> = {
  pendingCents: "pending",
  payableCents: "payable",
  inPayoutCents: "inPayout",
  paidCents: "paid",
  carriedCents: "payable",
};

const Nothing = (): JSX.Element => <span class="soft">–</span>;

function Payable({ balance }: { readonly balance: Balance }): JSX.Element {
  const { payableCents, carriedCents } = balance;
  if (payableCents > 0) {
    return (
      <strong>
        <Why balance={balance} field="payableCents" head={moneyLabels.payable} />
      </strong>
    );
  }
  if (carriedCents === 0) return <Nothing />;
  return (
    <span
      class="two-lines"
      title="Refunds and deductions exceed earnings. The amount is deducted from the next payouts."
    >
      <Why balance={balance} field="carriedCents" head={moneyLabels.carried} />
      <small>{moneyLabels.carried.toLowerCase()}</small>
    </span>
  );
}

function selector(
  balances: readonly Balance[],
  selected: ReadonlyMap<number, Balance>,
  onSelect: BalanceTableProps["onSelect"],
): Column<Balance> {
  const payable = balances.filter(isPayable);
  const isAll = payable.every(({ partnerId }) => selected.has(partnerId));
  const change = (changed: readonly Balance[], isIn: boolean) => {
    const next = new Map(selected);
    for (const balance of changed) {
      if (isIn) next.set(balance.partnerId, balance);
      else next.delete(balance.partnerId);
    }
    onSelect(next);
  };
  return {
    head: "Select",
    control: (
      <label class="selector">
        <span class="unseen">Select all on this page</span>
        <input type="checkbox" checked={isAll} onChange={() => change(payable, !isAll)} />
      </label>
    ),
    cell: (balance) =>
      isPayable(balance) && (
        <label class="selector">
          <span class="unseen">Select {namedByCode(balance)}</span>
          <input
            type="checkbox"
            checked={selected.has(balance.partnerId)}
            onChange={(event) => change([balance], event.currentTarget.checked)}
          />
        </label>
      ),
  };
}
