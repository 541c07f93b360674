import type { JSX } from "preact";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { sumLabels } from "../../outcome-labels.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { Sum, usePages } from "../../reasons/parts.tsx";
import { useTotals } from "../commissions/queries.ts";
import { sumOf } from "./balance.tsx";
import { CommissionPages, ExportCommissions, useReasonCommissions } from "./commission-rows.tsx";
import { InPayouts } from "./in-payouts.tsx";

export const statuses = ["pending", "approved", "paid"] as const;

interface OfStatusProps {
  readonly status: string;
  readonly currency: string;
  readonly partnerId: string | undefined;
}

/** Explains a sum by all commissions of a status. */
export function OfStatus({ status: named, currency, partnerId }: OfStatusProps): JSX.Element {
  const { cursor, pagination } = usePages();
  const status = statuses.find((each) => each === named);
  const totals = useTotals({ partnerId });
  const narrowed = status && { status, currency, ...(partnerId && { partnerId }) };
  const commissions = useReasonCommissions(narrowed, cursor);
  if (status === undefined || narrowed === undefined) return <NoReasons />;
  return (
    <>
      <Loaded query={totals} skeleton={<Skeleton lines={4} />}>
        {(found) => {
          const { amountCents, terms } = sumOf(found, status, currency);
          return (
            <>
              <Sum equation={{ what: sumLabels[status].toLowerCase(), amountCents, currency, terms }}>
                <ExportCommissions narrowed={narrowed} />
              </Sum>
              {status !== "pending" && (
                <InPayouts status={status} currency={currency} amountCents={amountCents} partnerId={partnerId} />
              )}
            </>
          );
        }}
      </Loaded>
      <CommissionPages query={commissions} pagination={pagination} />
    </>
  );
}
