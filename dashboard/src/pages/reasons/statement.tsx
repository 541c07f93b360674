import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { usePartner } from "../../api/partners.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { entriesOf } from "../../components/statement/closing-sums.ts";
import type { StatementEntry } from "../../components/statement/entry-text.ts";
import { statementQuery } from "../../components/statement/statement-query.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import { OfEntries, OfStatementPart, type StatementPart } from "../../reasons/of-statement.tsx";
import { balanceEquation } from "../../reasons/statement-reasons.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { addressWith, type Filters, searchAddress, statementAddress, useFilters } from "../../url.ts";
import { useStatement } from "../statement/queries.ts";
import { balanceIn, OfPartner } from "./balance.tsx";

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

/** Returns the address of an entry's explanation. The statement of its day explains a payment. */
function useEntryAddress(partnerId: string, currency: string | undefined) {
  const { program } = useProgram();
  return ({ ref, kind, postedOn }: StatementEntry): string | undefined => {
    if (ref !== null) return searchAddress(program.id, ref);
    if (kind !== "paid" && kind !== "returned") return undefined;
    const address = statementAddress(program.id, Number(partnerId));
    return addressWith(address, { currency, from: postedOn, to: postedOn });
  };
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
              equation={balanceEquation(found.data, balanceIn(partner, currency), "paid", moneyLabels)}
              entries={entriesOf(found.data, "paid", "returned")}
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
