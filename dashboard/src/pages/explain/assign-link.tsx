import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Explanation } from "../../api/types.ts";
import { lazy } from "../../components/lazy.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import type { AssignCustomerProps } from "./assign-customer.tsx";
import { unpaidSaleOf } from "./unpaid-sale.ts";

const AssignCustomer = lazy<AssignCustomerProps>(() => import("./assign-customer.tsx"), null);

/** Offers to assign the customer to a partner, if the sale earned nothing because it has no partner. */
export function AssignLink({ explanation }: { readonly explanation: Explanation }): JSX.Element | null {
  const { mayChange } = useProgram();
  const [{ assignTo }] = useFilters();
  const [isAssigning, setIsAssigning] = useState(assignTo !== undefined);
  const { customer, erased } = explanation;
  const unpaidSince = unpaidSaleOf(explanation);
  if (customer === null || customer.customerKey === null || customer.lockedSince !== null) return null;
  if (erased || !mayChange("admin") || unpaidSince === undefined) return null;
  return (
    <>
      , or{" "}
      <button type="button" class="text-link" onClick={() => setIsAssigning(true)}>
        assign the customer to a partner
      </button>
      .
      {isAssigning && (
        <AssignCustomer
          customerKey={customer.customerKey}
          unpaidSince={unpaidSince}
          partnerId={assignTo}
          onClose={() => setIsAssigning(false)}
        />
      )}
    </>
  );
}
