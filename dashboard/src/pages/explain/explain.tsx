import "./explain.css";
import type { JSX } from "preact";
import { useExplanation } from "../../api/explain.ts";
import type { Explanation } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { type ExplainQuery, idText, readExplainQuery } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { addressWith, programAddress, searchAddress, useFilters } from "../../url.ts";
import { requestsAddress } from "../events/requests/requests-address.ts";
import { Customer } from "./customer.tsx";
import { Erased } from "./erased.tsx";
import { BookContext } from "./explain-link.tsx";
import { explanationText } from "./explanation-text.ts";
import { Calculation, Candidates, Corrections, Coupons, Entries, Missing, Settings } from "./sections.tsx";
import { Timeline } from "./timeline.tsx";
import { VerdictCard } from "./verdict-card.tsx";
import { titleOf, titleOfQuery } from "./words.ts";

export default function ExplainPage(): JSX.Element {
  const [filters] = useFilters();
  const query = readExplainQuery(filters);
  // A new key discards the previous explanation.
  return <Explain key={JSON.stringify(query)} query={query} />;
}

function Explain({ query }: { readonly query: ExplainQuery }): JSX.Element {
  const { program } = useProgram();
  const explanation = useExplanation(query);
  const title = explanation.data === undefined ? titleOfQuery(query) : titleOf(explanation.data);
  useTitle(title, program.name);
  return (
    <BookContext.Provider value={query.testMode}>
      <header class="page-head spread">
        <div class="row">
          <h1 class="breakable">{title}</h1>
          {query.testMode && <Badge tone="warn">Test</Badge>}
        </div>
        {explanation.data !== undefined && (
          <div class="row">
            <Elsewhere explanation={explanation.data} isTest={query.testMode !== undefined} />
            <CopyButton
              text={explanationText(explanation.data, location.href, program.timezone)}
              what="explanation"
              title="Copy as text"
            />
          </div>
        )}
      </header>
      {explanation.failure?.status === 404 ? (
        <Empty
          title="Not found"
          action={<ButtonLink href={searchAddress(program.id, idText(query))}>Search for {idText(query)}</ButtonLink>}
        >
          {query.testMode ? "Test" : "Live"} data has no such ID. The search looks in {query.testMode ? "live" : "test"}{" "}
          data, too.
          <WasItSent query={query} />
        </Empty>
      ) : (
        <Loaded query={explanation} skeleton={<Skeleton lines={12} />}>
          {(found) => <Explained explanation={found} query={query} />}
        </Loaded>
      )}
    </BookContext.Provider>
  );
}

/**
 * Links to the calls that were received with this ID. Shows nothing unless it is an ID that a server sends: a
 * transaction ID or a customer key.
 */
function WasItSent({ query: { transactionId, customerKey } }: { readonly query: ExplainQuery }): JSX.Element | null {
  const { program } = useProgram();
  if (transactionId === undefined && customerKey === undefined) return null;
  return (
    <>
      {" "}
      Was it sent? <a href={requestsAddress(program.id, { transactionId, customerKey })}>See the calls</a>.
    </>
  );
}

interface ElsewhereProps {
  readonly explanation: Explanation;
  readonly isTest: boolean;
}

/**
 * Links to the sale on other pages. A test sale isn't on the page Commissions, and doesn't count in a partner's
 * figures.
 */
function Elsewhere({ explanation: { commission, verdict }, isTest }: ElsewhereProps): JSX.Element | null {
  const { program } = useProgram();
  if (isTest) return null;
  const to = (page: string, query: Readonly<Record<string, string>>) =>
    addressWith(programAddress(program.id, page), query);
  return (
    <>
      {commission !== null && (
        <ButtonLink href={to("commissions", { status: commission.status, commission: String(commission.id) })}>
          View commission
        </ButtonLink>
      )}
      {verdict.partnerCode !== null && (
        <ButtonLink href={to("partners", { q: verdict.partnerCode })}>View partner</ButtonLink>
      )}
    </>
  );
}

interface ExplainedProps {
  readonly explanation: Explanation;
  readonly query: ExplainQuery;
}

const Explained = ({ explanation, query }: ExplainedProps): JSX.Element => (
  <>
    <VerdictCard explanation={explanation} isTest={query.testMode !== undefined} />
    <Erased explanation={explanation} />
    <Corrections explanation={explanation} />
    <Missing explanation={explanation} />
    <div class="explained">
      <div class="stack">
        <Calculation explanation={explanation} />
        <Timeline explanation={explanation} query={query} />
        <Entries explanation={explanation} />
      </div>
      <div class="stack">
        <Candidates explanation={explanation} />
        <Coupons explanation={explanation} />
        <Customer explanation={explanation} isTest={query.testMode !== undefined} />
        <Settings explanation={explanation} />
      </div>
    </div>
  </>
);
