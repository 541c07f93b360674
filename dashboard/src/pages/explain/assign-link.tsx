import type { JSX } from "preact";
import type { Explanation } from "../../api/types.ts";
import { useProgram } from "../../session.tsx";
import { ExplainLink } from "./explain-link.tsx";
import { unpaidSaleOf } from "./unpaid-sale.ts";

/** Links to the assignment of the customer, if the sale earned nothing because it has no partner. */
export function AssignLink({ explanation }: { readonly explanation: Explanation }): JSX.Element | null {
  const { mayChange } = useProgram();
  const { customer, erased, subject } = explanation;
  if (customer === null || customer.customerKey === null || customer.lockedSince !== null) return null;
  if (erased || !mayChange("admin") || unpaidSaleOf(explanation) === undefined) return null;
  if (subject.type === "customer") return <>Or choose “Assign…” below.</>;
  return (
    <>
      Or <ExplainLink to={{ customerKey: customer.customerKey }}>assign the customer to a partner</ExplainLink>.
    </>
  );
}
