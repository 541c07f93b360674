import type { JSX } from "preact";
import { NoReasons } from "../../reasons/host.tsx";
import { OfAllPartners, OfPaidThisYear } from "./all-partners.tsx";
import { OfPayable, OfPending } from "./balance.tsx";
import { OfDay } from "./day.tsx";
import { OfFigure } from "./figure.tsx";
import { OfInPayout } from "./in-payout.tsx";
import { OfLine } from "./line.tsx";
import { OfPaid, OfStatementPage } from "./statement.tsx";
import { OfStatus } from "./status.tsx";

export default function Content({ of }: { readonly of: string }): JSX.Element {
  const [kind, name = "", third = "", fourth = ""] = of.split(".");
  switch (kind) {
    case "balance":
      return <OfBalance field={name} partnerId={third} currency={fourth} />;
    case "all":
      return name === "paidThisYear" ? (
        <OfPaidThisYear currency={third} />
      ) : (
        <OfAllPartners field={name} currency={third} />
      );
    case "status":
      return <OfStatus status={name} currency={third} partnerId={fourth || undefined} />;
    case "figure":
      return fourth === "" ? (
        <OfFigure name={name} partnerId={third || undefined} />
      ) : (
        <OfDay name={name} partnerId={third} day={fourth} />
      );
    case "line":
      return <OfLine payoutId={name} partnerId={third} />;
    case "sum":
    case "entry":
      return <OfStatementPage kind={kind} name={name} />;
    default:
      return <NoReasons />;
  }
}

interface OfBalanceProps {
  readonly field: string;
  readonly partnerId: string;
  readonly currency: string;
}

function OfBalance({ field, ...balance }: OfBalanceProps): JSX.Element {
  switch (field) {
    case "payable":
      return <OfPayable {...balance} />;
    case "pending":
      return <OfPending {...balance} />;
    case "inPayout":
      return <OfInPayout {...balance} />;
    case "paid":
      return <OfPaid {...balance} />;
    default:
      return <NoReasons />;
  }
}
