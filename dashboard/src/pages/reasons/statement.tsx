import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { usePartner } from "../../api/partners.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { statementQuery } from "../../components/statement/statement-query.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import { OfEntries, OfStatementPart, type StatementPart } from "../../reasons/of-statement.tsx";
import { paymentsOf, termsOfEntries } from "../../reasons/statement-reasons.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { type Filters, useFilters } from "../../url.ts";
import { useStatement } from "../statement/queries.ts";
import { balanceIn, OfPartner } from "./balance.tsx";
import { useEntryAddress } from "./entry-address.ts";

/** Explains an amount of the statement on the page. */
export function OfStatementPage(part: StatementPart): JSX.Element {
  const { item: partnerId = "" } = useRoute().params;
  const [filters] = useFilters();
  const statement = useStatement(partnerId, filters);
  const hrefOf = useEntryAddress(partnerId, filters.currency);
  return (
    <Loaded query={statement} skeleton={<Skeleton lines={6} />}>
      {(found) => (
        <OfStatementPart {...part} statement={found} hrefOf={hrefOf}>
          <ExportStatement partnerId={partnerId} filters={filters} />
        </OfStatementPart>
      )}
    </Loaded>
  );
}

interface ExportStatementProps {
  readonly partnerId: string;
  readonly filters: Filters;
}

function ExportStatement({ partnerId, filters }: ExportStatementProps): JSX.Element {
  const { program } = useProgram();
  return (
    <ExportButton
      label="Export the statement"
      call={() =>
        api.programs[":programId"].partners[":partnerId"].statement.$get({
          param: { ...paramOf(program), partnerId },
          query: { ...statementQuery(filters), format: "csv" },
        })
      }
    />
  );
}

interface OfPaidProps {
  readonly partnerId: string;
  readonly currency: string;
}

/** Lists all payments of a partner. */
export function OfPaid({ partnerId, currency }: OfPaidProps): JSX.Element {
  const partner = usePartner(partnerId).data;
  const statement = useStatement(partnerId, { currency });
  const hrefOf = useEntryAddress(partnerId, currency);
  return (
    <Loaded query={{ ...statement, data: partner && statement.data }} skeleton={<Skeleton lines={6} />}>
      {(found) =>
        partner !== undefined && (
          <>
            <OfPartner partner={partner} />
            <OfEntries
              statement={found}
              equation={{
                what: moneyLabels.paid.toLowerCase(),
                amountCents: balanceIn(partner, currency).paidCents,
                currency,
                terms: termsOfEntries(paymentsOf(found.data)),
              }}
              entries={paymentsOf(found.data)}
              hrefOf={hrefOf}
            >
              <ExportStatement partnerId={partnerId} filters={{ currency }} />
            </OfEntries>
          </>
        )
      }
    </Loaded>
  );
}
