import "./payouts.css";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters, SelectFilter } from "../../components/filters.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { currencyName } from "../../format.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { Adjustment } from "./adjustment.tsx";
import { BalanceTable } from "./balance-table.tsx";
import { History } from "./history.tsx";
import { NewPayout } from "./new-payout.tsx";
import { type Balance, type Totals, useBalances } from "./queries.ts";
import { Summary } from "./summary.tsx";

const PayoutPage = lazy<{ readonly payoutId: string }>(
  async () => ({ default: (await import("./payout-page.tsx")).PayoutPage }),
  <Skeleton lines={8} />,
);

export default function Payouts(): JSX.Element {
  const { item } = useRoute().params;
  return item === undefined ? <Overview /> : <PayoutPage key={item} payoutId={item} />;
}

/**
 * True if all amounts are 0, for example because all of the partner's commissions were rejected or refunded before they
 * were paid.
 */
const isEmpty = ({ payableCents, pendingCents, inPayoutCents, paidCents, carriedCents }: Balance): boolean =>
  [payableCents, pendingCents, inPayoutCents, paidCents, carriedCents].every((cents) => cents === 0);

/** The current currency or, if it has nothing to pay, the first that has something. */
function currencyToPay(current: string, totals: readonly Totals[] = []): string {
  const payable = totals.filter(({ payableCents }) => payableCents > 0).map(({ currency }) => currency);
  return payable.includes(current) ? current : (payable[0] ?? current);
}

function Overview(): JSX.Element {
  const { program, may } = useProgram();
  const [{ currency = program.currency, cursor, start }, setFilters] = useFilters();
  const balances = useBalances(currency, cursor);
  const [selection, setSelected] = useState<ReadonlyMap<number, Balance>>(new Map());
  const selected = new Map([...selection].filter(([, balance]) => balance.currency === currency));
  const references = useRef(new Map<number, string>());
  const [isCreating, setIsCreating] = useState(start === "payout" && may("admin"));
  // Removes the dialog from the address, so that it doesn't open again when the user returns to this page.
  useEffect(() => {
    if (start !== undefined) setFilters({ start: undefined }, "replace");
  }, []);
  const [adjusted, setAdjusted] = useState<Balance>();
  const totals = balances.data?.meta.totals;
  const currencies = [...new Set([program.currency, currency, ...(totals ?? []).map((each) => each.currency)])];
  return (
    <>
      <header class="page-head spread">
        <div>
          <h1>Payouts</h1>
          <p class="soft">Tributary doesn't move money. Payouts record what you've paid.</p>
        </div>
        {may("admin") && (
          <Button look="primary" onClick={() => setIsCreating(true)}>
            <PlusIcon /> {selected.size === 0 ? "New payout" : `New payout to ${selected.size}`}
          </Button>
        )}
      </header>
      <Summary totals={totals} />
      <div class="stack">
        <div class="row spread">
          <h2>Balances</h2>
          <div class="row">
            {currencies.length > 1 && (
              <Filters>
                <SelectFilter
                  label="Currency"
                  value={currency}
                  options={currencies.map((each) => [each, currencyName(each)])}
                  onChoose={(chosen) => {
                    setSelected(new Map());
                    setFilters({ currency: chosen });
                  }}
                />
              </Filters>
            )}
            {balances.data !== undefined && balances.data.data.length > 0 && (
              <ExportButton
                label="Export balances"
                call={() =>
                  api.programs[":programId"].balances.$get({
                    param: paramOf(program),
                    query: { currency, format: "csv" },
                  })
                }
              />
            )}
          </div>
        </div>
        <Loaded query={balances} skeleton={<TableSkeleton rows={6} />}>
          {({ data, meta }) =>
            data.every(isEmpty) && meta.nextCursor === null && cursor === undefined ? (
              <Empty title="No balances yet">
                Partners appear here with what they have earned in {currencyName(currency)}. Commissions become payable
                once they are approved.
              </Empty>
            ) : (
              <>
                <BalanceTable
                  balances={data.filter((balance) => !isEmpty(balance))}
                  isStale={balances.isBusy}
                  selected={may("admin") ? selected : undefined}
                  onSelect={setSelected}
                  onAdjust={setAdjusted}
                />
                <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
              </>
            )
          }
        </Loaded>
      </div>
      <History />
      {isCreating && totals !== undefined && (
        <NewPayout
          currency={selected.size > 0 ? currency : currencyToPay(currency, totals)}
          currencies={selected.size > 0 ? [currency] : currencies}
          partners={[...selected.values()]}
          onClose={() => setIsCreating(false)}
        />
      )}
      {adjusted !== undefined && (
        <Adjustment partner={adjusted} references={references.current} onClose={() => setAdjusted(undefined)} />
      )}
    </>
  );
}
