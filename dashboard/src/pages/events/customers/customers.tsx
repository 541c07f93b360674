import "./customers.css";
import type { JSX } from "preact";
import type { Customer } from "../../../api/types.ts";
import { Badge } from "../../../components/badge.tsx";
import { ExportButton } from "../../../components/export-button.tsx";
import { Filters } from "../../../components/filters.tsx";
import { Count, Money } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { DayParam, SelectParam } from "../../../components/param-filters.tsx";
import { PartnerFilter } from "../../../components/partner-filter.tsx";
import { SearchFilter } from "../../../components/search-filter.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { Ago } from "../../../components/time.tsx";
import { explainAddress } from "../../../explain-address.ts";
import { useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { NoMatches } from "../no-matches.tsx";
import { Sections } from "../sections.tsx";
import { useCustomerFile, useCustomers } from "./queries.ts";

const sources = { click: "Click", coupon: "Coupon", import: "Import", person: "Assigned" } as const;

export default function Customers(): JSX.Element {
  const [filters] = useFilters();
  const customers = useCustomers(filters);
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
      </header>
      <Sections current="customers" />
      <p class="soft">
        Your customers with their partners and sales, and the revenue (before refunds) and commissions of attributed
        sales.
      </p>
      <CustomerFilters />
      <Loaded query={customers} skeleton={<TableSkeleton rows={12} />}>
        {({ data, meta: { nextCursor } }) => (
          <div class="stack">
            {data.length > 0 ? (
              <CustomerTable customers={data} isStale={customers.isStale} />
            ) : nextCursor === null ? (
              <NoCustomers />
            ) : (
              <p class="soft">No customers found yet. Select Older to continue the search.</p>
            )}
            <Pagination nextCursor={nextCursor} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function CustomerFilters(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { partnerId = "" } = filters;
  const file = useCustomerFile(filters);
  return (
    <Filters>
      <SearchFilter name="q" searched="Customer key or email" position="cursor" />
      <PartnerFilter value={partnerId} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      <SelectParam
        name="attributed"
        label="Attribution"
        options={[
          ["", "Attributed or not"],
          ["true", "With a partner"],
          ["false", "Without a partner"],
        ]}
      />
      <SelectParam name="source" label="Source" options={[["", "All sources"], ...Object.entries(sources)]} />
      <SelectParam
        name="hasSale"
        label="Sales"
        options={[
          ["", "Sales or none"],
          ["true", "With a sale"],
          ["false", "Without sales"],
        ]}
      />
      <DayParam name="from" label="From" />
      <DayParam name="to" label="To" />
      <SelectParam
        name="test"
        label="Test customers"
        options={[
          ["", "Hide test customers"],
          ["only", "Only test customers"],
        ]}
      />
      <ExportButton label="Export customers" call={file} />
    </Filters>
  );
}

function NoCustomers(): JSX.Element {
  const [filters] = useFilters();
  if (Object.values(filters).some(Boolean))
    return (
      <NoMatches of="customers">
        Enter the beginning of a customer key, or a whole email address. Customers who were erased can't be searched.
      </NoMatches>
    );
  return <Empty title="No customers yet">Customers appear here with their first lead or sale, or once imported.</Empty>;
}

interface CustomerTableProps {
  readonly customers: readonly Customer[];
  readonly isStale: boolean;
}

const CustomerTable = ({ customers, isStale }: CustomerTableProps): JSX.Element => (
  <div class="row-cards customer-cards">
    <Table
      caption="Customers, newest first"
      columns={[
        { head: "Customer", cell: (customer) => <Name of={customer} /> },
        { head: "Partner", cell: ({ partnerCode }) => partnerCode ?? <span class="soft">None</span> },
        {
          head: "Source",
          cell: ({ source, locked }) =>
            source && (
              <span class="row">
                {sources[source]}
                {locked && <Badge tone="plain">Final</Badge>}
              </span>
            ),
        },
        { head: "Known since", cell: ({ knownSince }) => <Ago at={knownSince} /> },
        { head: "Sales", cell: (customer) => <Sales of={customer} />, isNumber: true },
        { head: "Revenue", cell: (customer) => <Sums of={customer} sum={revenueOf} />, isNumber: true },
        { head: "Commission", cell: (customer) => <Sums of={customer} sum={commissionOf} />, isNumber: true },
      ]}
      rows={customers}
      rowKey={({ customerKey, knownSince, partnerCode }) => `${customerKey} ${knownSince} ${partnerCode}`}
      isStale={isStale}
    />
  </div>
);

/** The customer's key, with a link to the explanation. */
function Name({ of: { customerKey } }: { readonly of: Customer }): JSX.Element {
  const { program } = useProgram();
  const [{ test }] = useFilters();
  if (customerKey === null) return <span class="soft">Known only by a click</span>;
  const book = test === "only" ? ({ testMode: "true" } as const) : {};
  return (
    <a href={explainAddress(program.id, { customerKey, ...book })}>
      <bdi>{customerKey}</bdi>
    </a>
  );
}

function Sales({ of: { sales, otherSales } }: { readonly of: Customer }): JSX.Element {
  if (sales === null || otherSales === null) return <span class="soft">Over 10,000</span>;
  const without = sales === 0 ? "without a partner" : `${otherSales} without a partner`;
  return (
    <span>
      <Count of={sales + otherSales} />
      {otherSales > 0 && <span class="soft">, {without}</span>}
    </span>
  );
}

type Sum = NonNullable<Customer["sums"]>[number];
const revenueOf = ({ amountCents }: Sum): number => amountCents;
const commissionOf = ({ commissionCents }: Sum): number => commissionCents;

interface SumsProps {
  readonly of: Customer;
  readonly sum: (sum: Sum) => number;
}

/** One amount for each currency, because amounts in different currencies are never added. */
const Sums = ({ of: { sums }, sum }: SumsProps): JSX.Element => (
  <>
    {sums?.map((each) => (
      <div key={each.currency}>
        <Money amountCents={sum(each)} currency={each.currency} />
      </div>
    ))}
  </>
);
