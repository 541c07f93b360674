import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Explanation } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Instant } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import type { Person } from "../settings/privacy/queries.ts";
import type { AssignCustomerProps } from "./assign-customer.tsx";
import { ExplainLink } from "./explain-link.tsx";
import { PersonActions } from "./person-actions.tsx";
import { Fact } from "./sections.tsx";
import { unpaidSaleOf } from "./unpaid-sale.ts";

const AssignCustomer = lazy<AssignCustomerProps>(() => import("./assign-customer.tsx"), null);

const sources: Readonly<Record<NonNullable<NonNullable<Explanation["customer"]>["source"]>, string>> = {
  click: "A click",
  coupon: "A coupon",
  import: "An import",
  person: "A member",
};

interface CustomerProps {
  readonly explanation: Explanation;
  readonly isTest: boolean;
}

/**
 * Identifies the customer for an export or erasure. Undefined if the customer was erased, or if the explanation has
 * neither a customer key nor a click.
 */
function personOf({ erased, customer, subject }: Explanation): Person | undefined {
  if (erased || customer === null) return undefined;
  if (customer.customerKey !== null) return { customerKey: customer.customerKey };
  return subject.type === "click" ? { clickId: String(subject.id) } : undefined;
}

export function Customer({ explanation, isTest }: CustomerProps): JSX.Element | null {
  const { customer } = explanation;
  const { may, mayChange } = useProgram();
  const [isAssigning, setIsAssigning] = useState(false);
  if (customer === null) return null;
  const person = personOf(explanation);
  const { customerKey, knownSince, source, since, evidence, lockedSince } = customer;
  return (
    <Card
      title="Customer"
      actions={
        <div class="row">
          {customerKey !== null && lockedSince === null && !isTest && !explanation.erased && mayChange("admin") && (
            <Button onClick={() => setIsAssigning(true)}>Assign…</Button>
          )}
          {person !== undefined && may("owner") && <PersonActions person={person} />}
        </div>
      }
    >
      {isAssigning && customerKey !== null && (
        <AssignCustomer
          customerKey={customerKey}
          unpaidSince={unpaidSaleOf(explanation)}
          onClose={() => setIsAssigning(false)}
        />
      )}
      <dl class="facts">
        <Fact title="Key">
          {customerKey === null ? (
            "None: known only by a click"
          ) : (
            <ExplainLink to={{ customerKey }}>
              <bdi>{customerKey}</bdi>
            </ExplainLink>
          )}
        </Fact>
        <Fact title="Known since">
          <Instant at={knownSince} />
        </Fact>
        {source !== null && <Fact title="Attributed by">{sources[source]}</Fact>}
        {since !== null && (
          <Fact title="Sales count from">
            <Instant at={since} />
          </Fact>
        )}
        {evidence !== null && <Fact title="Reported by">{evidence === "browser" ? "Browser" : "Your server"}</Fact>}
        {lockedSince !== null && (
          <Fact title="Attribution locked since">
            <Instant at={lockedSince} />
          </Fact>
        )}
      </dl>
    </Card>
  );
}
