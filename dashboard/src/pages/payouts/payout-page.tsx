import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Card } from "../../components/card.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { useProgram } from "../../session.tsx";
import { focusIfLost } from "../../shell/page-focus.ts";
import { programAddress, useFilters } from "../../url.ts";
import { Changes } from "./changes.tsx";
import { DownloadButton } from "./download-button.tsx";
import { FinalizeDraft } from "./finalize-draft.tsx";
import { Lines } from "./lines.tsx";
import { NoWayToPay, RefusedByWise } from "./no-way-to-pay.tsx";
import { PayFinal } from "./pay-final.tsx";
import { PayoutBadge } from "./payout-badge.tsx";
import { PayoutFacts } from "./payout-facts.tsx";
import { type PayoutWithLines, usePayout } from "./queries.ts";
import { SettleFinal } from "./settle-final.tsx";
import { paidTotal } from "./totals.ts";

const PayFiles = lazy(() => import("./pay-files.tsx"), <Skeleton lines={3} />);
const Steps = lazy(() => import("./pay-day/steps.tsx"), null);
const BiggestChanges = lazy(() => import("./pay-day/biggest-changes.tsx"), null);
const LeftOut = lazy(() => import("./left-out.tsx"), null);
const SendStatements = lazy(() => import("./pay-day/send-statements.tsx"), <Skeleton lines={3} />);
const PrintRun = lazy(() => import("./pay-day/print-run.tsx"), <Skeleton lines={8} />);

export function PayoutPage({ payoutId }: { readonly payoutId: string }): JSX.Element {
  const { program, may } = useProgram();
  const payout = usePayout(payoutId);
  const [{ print }] = useFilters();
  useKeptFocus(payout.data?.status);
  const back = <a href={programAddress(program.id, "payouts")}>Payouts</a>;
  if (payout.failure?.status === 404) {
    return (
      <>
        <header class="page-head">
          <h1>Payout</h1>
        </header>
        <Empty title="Not found" action={back}>
          This program has no payout {payoutId}.
        </Empty>
      </>
    );
  }
  if (print === "statements" && payout.data?.status === "paid") return <PrintRun payout={payout.data} />;
  return (
    <>
      <header class="page-head spread">
        <div class="payout-title">
          {back}
          <h1>{payout.data?.reference ?? "Payout"}</h1>
        </div>
        {payout.data && <PayoutBadge status={payout.data.status} />}
      </header>
      <Loaded query={payout} skeleton={<Skeleton lines={8} />}>
        {(found) => (
          <>
            {found.status !== "canceled" && !isByApi(found) && <Steps payout={found} />}
            {may("admin") && !isByApi(found) && (found.status === "draft" || found.status === "final") && (
              <NoWayToPay payout={found} />
            )}
            {found.status === "final" && !isByApi(found) && may("owner") && <PayFiles payout={found} />}
            {found.status === "draft" && !isByApi(found) && <RefusedByWise payout={found} />}
            <NextStep payout={found} />
            {found.status === "paid" && <SendStatements payout={found} />}
            {found.status === "draft" && <BiggestChanges draft={found} />}
            <Card
              title="Details"
              actions={found.status === "paid" && !isByApi(found) && <DownloadButton payout={found} />}
            >
              <PayoutFacts payout={found} />
            </Card>
            {found.status === "paid" && !isByApi(found) && may("owner") && <PayFiles payout={found} />}
            <Lines payout={found} />
            <LeftOut payout={found} />
            <ChangedSinceDraft payout={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

const isByApi = ({ settledBy }: PayoutWithLines): boolean => settledBy === "api";

/** Focuses the page when a change of status has removed the button that was pressed. */
function useKeptFocus(status: string | undefined): void {
  const before = useRef(status);
  useEffect(() => {
    if (before.current !== undefined && status !== undefined && before.current !== status) focusIfLost();
    before.current = status;
  }, [status]);
}

/** The changes between the draft and the final payout. The user accepted them, or others with the same total. */
function ChangedSinceDraft({ payout }: { readonly payout: PayoutWithLines }): JSX.Element | null {
  const { status, changes } = payout;
  if (status !== "final" || changes.length === 0) return null;
  return (
    <div class="stack">
      <h2>Changed since the draft</h2>
      <Changes changes={changes} payout={payout} />
    </div>
  );
}

function NextStep({ payout }: { readonly payout: PayoutWithLines }): JSX.Element | null {
  const { may } = useProgram();
  const { status, currency } = payout;
  if (status === "canceled") {
    return (
      <Notice look="plain">
        This payout was canceled. Nothing was recorded as paid. Its commissions can be paid by another payout.
      </Notice>
    );
  }
  if (!may("admin")) return null;
  if (status === "draft") return <FinalizeDraft payout={payout} />;
  if (status === "final") return isByApi(payout) ? <SettleFinal payout={payout} /> : <PayFinal payout={payout} />;
  return (
    <Notice look="good">
      <Money amountCents={paidTotal(payout)} currency={currency} /> was recorded as paid. If a payment comes back, mark
      its line as failed.
    </Notice>
  );
}
