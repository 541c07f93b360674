import "./statement.css";
import { Fragment, type JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { Button, ButtonLink } from "../../components/button.tsx";
import { DayFilter, Filters, SelectFilter } from "../../components/filters.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDate } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { useFilters } from "../../url.ts";
import { StatementLines } from "./lines.tsx";
import { type Statement, statementCsvAddress, useStatement } from "./queries.ts";

export default function StatementPage(): JSX.Element {
  const { item: partnerId = "" } = useRoute().params;
  const { program } = useProgram();
  const [filters] = useFilters();
  const statement = useStatement(partnerId, filters);
  useTitle(statement.data === undefined ? "Statement" : `Statement for ${statement.data.data.name}`, program.name);
  return (
    <>
      <header class="page-head spread on-screen">
        <h1>Statement</h1>
        <div class="row">
          <ButtonLink href={statementCsvAddress(program.id, partnerId, filters)}>Export as CSV</ButtonLink>
          <Button look="primary" onClick={() => window.print()}>
            Print
          </Button>
        </div>
      </header>
      <StatementFilters statement={statement.data} />
      <Loaded query={statement} skeleton={<Skeleton lines={12} />}>
        {(found) => <Sheet statement={found} />}
      </Loaded>
    </>
  );
}

function StatementFilters({ statement }: { readonly statement: Statement | undefined }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const currency = statement?.data.currency ?? filters.currency ?? program.currency;
  const currencies = [currency, ...(statement?.meta.otherCurrencies ?? [])].toSorted();
  return (
    <div class="on-screen">
      <Filters>
        <DayFilter
          label="From"
          value={filters.from ?? statement?.data.from ?? ""}
          onChoose={(from) => setFilters({ from })}
        />
        <DayFilter label="To" value={filters.to ?? statement?.data.to ?? ""} onChoose={(to) => setFilters({ to })} />
        {currencies.length > 1 && (
          <SelectFilter
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, each] as const)}
            onChoose={(chosen) => setFilters({ currency: chosen })}
          />
        )}
      </Filters>
    </div>
  );
}

/** Prints on A4. */
function Sheet({ statement: { data, meta } }: { readonly statement: Statement }): JSX.Element {
  const { program } = useProgram();
  return (
    <article class="card sheet" aria-label="Statement">
      <header>
        <p class="soft breakable">{program.name}</p>
        <h2 class="breakable">Statement for {data.name}</h2>
        <p>
          {formatDate(data.from)} – {formatDate(data.to)}, in {data.currency}
        </p>
      </header>
      <StatementLines statement={data} />
      <Unpaid statement={data} />
      {program.payoutTerms !== null && (
        <section>
          <h3>Payout terms</h3>
          <p class="breakable terms">{program.payoutTerms}</p>
        </section>
      )}
      <p class="soft">Entries are listed by the day on which they were posted ({zoneTitle(meta.timezone)}).</p>
    </article>
  );
}

const stillOpen = [
  ["pendingCents", "Pending"],
  ["payableCents", "Payable"],
  ["inPayoutCents", "In payout"],
] as const;

/** Only known of a statement that ends today. */
const Unpaid = ({ statement }: { readonly statement: Statement["data"] }): JSX.Element | null =>
  statement.pendingCents === undefined ? null : (
    <dl class="facts">
      {stillOpen.map(([name, title]) => (
        <Fragment key={name}>
          <dt>{title}</dt>
          <dd>
            <Money amountCents={statement[name] ?? 0} currency={statement.currency} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
