import type { JSX } from "preact";
import { NoReasons } from "../../../reasons/host.tsx";
import { OfBalance } from "./of-balance.tsx";
import { OfMonth } from "./of-month.tsx";
import { OfPayment, OfStatementPage } from "./of-statement.tsx";

export default function Content({ of }: { readonly of: string }): JSX.Element {
  const [kind, name = "", currency = ""] = of.split(".");
  switch (kind) {
    case "balance":
      return <OfBalance field={name} currency={currency} />;
    case "month":
      return <OfMonth />;
    case "payment":
      return <OfPayment number={name} />;
    case "sum":
    case "entry":
      return <OfStatementPage kind={kind} name={name} />;
    default:
      return <NoReasons />;
  }
}
