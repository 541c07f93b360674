import type { JSX } from "preact";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useFilters } from "../../url.ts";
import { usePartner } from "../access.tsx";
import { OwnPayouts } from "./payouts/own-payouts.tsx";

const StatementTab = lazy(() => import("./payouts/statement-tab.tsx"), <Skeleton lines={12} />);

export default function Payouts(): JSX.Element {
  const { address } = usePartner();
  const [{ tab }] = useFilters();
  const isStatement = tab === "statement";
  return (
    <>
      <header class="page-head on-screen">
        <h1>Payouts</h1>
      </header>
      <div class="on-screen">
        <Tabs
          label="Payouts"
          tabs={[
            { href: address("payouts"), title: "Payouts", isCurrent: !isStatement },
            { href: address("payouts", { tab: "statement" }), title: "Statement", isCurrent: isStatement },
          ]}
        />
      </div>
      {isStatement ? <StatementTab /> : <OwnPayouts />}
    </>
  );
}
