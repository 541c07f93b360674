import type { JSX } from "preact";
import { ExportButton } from "../../../components/export-button.tsx";
import { statementQuery } from "../../../components/statement/statement-query.ts";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { termsOf } from "../../../reasons/equation.ts";
import { OfEntries, OfStatementPart, type StatementPart } from "../../../reasons/of-statement.tsx";
import { type Filters, useFilters } from "../../../url.ts";
import { usePartner } from "../../access.tsx";
import { statementRoute, useStatement } from "../payouts/queries.ts";

/** Explains an amount of the statement on the page. */
export function OfStatementPage(part: StatementPart): JSX.Element {
  const [filters] = useFilters();
  return (
    <Loaded query={useStatement(filters)} skeleton={<Skeleton lines={6} />}>
      {(found) => (
        <OfStatementPart {...part} statement={found}>
          <ExportStatement filters={filters} />
        </OfStatementPart>
      )}
    </Loaded>
  );
}

export function ExportStatement({ filters }: { readonly filters: Filters }): JSX.Element {
  const { param, view } = usePartner();
  return (
    <ExportButton
      label="Export the statement"
      call={() => statementRoute().$get({ param, query: { ...statementQuery(filters), ...view, format: "csv" } })}
    />
  );
}

/** Explains a payment: everything since the previous payment, less what is still open. */
export function OfPayment({ number }: { readonly number: string }): JSX.Element {
  return (
    <Loaded query={useStatement({ number })} skeleton={<Skeleton lines={6} />}>
      {(found) => {
        const { openingCents, earnedCents, refundedCents, adjustedCents, closingCents, currency } = found.data;
        const payment = found.data.entries.findLast(({ kind }) => kind === "paid");
        const returned = found.data.entries.filter(({ kind }) => kind === "returned");
        const equation = {
          what: "paid",
          amountCents: -(payment?.amountCents ?? 0),
          currency,
          terms: termsOf(
            ["brought forward", openingCents],
            ["earned", earnedCents],
            ["refunded or declined", refundedCents],
            ["bonuses and deductions", adjustedCents],
            ["returned payments", returned.reduce((sum, { amountCents }) => sum + amountCents, 0)],
            ["left for later", -closingCents],
          ),
        };
        return (
          <OfEntries statement={found} equation={equation} entries={found.data.entries.filter((e) => e !== payment)}>
            <ExportStatement filters={{ number }} />
          </OfEntries>
        );
      }}
    </Loaded>
  );
}
