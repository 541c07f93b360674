import "./search.css";
import type { JSX } from "preact";
import { readExplanation } from "../../api/explain.ts";
import { Failure } from "../../api/failure.ts";
import { mapConcurrent } from "../../api/map-concurrent.ts";
import { type Partner, usePartnerSearch } from "../../api/partners.ts";
import type { Explanation } from "../../api/types.ts";
import { useQuery } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Notice } from "../../components/notice.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { type ExplainQuery, explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, partnerAddress, programAddress, useFilters } from "../../url.ts";
import { NextStep } from "../explain/next-step.tsx";
import { titleOf } from "../explain/words.ts";
import { type Lookup, lookupsOf } from "./lookups.ts";

const maxConcurrent = 4;

export default function SearchPage(): JSX.Element {
  const [{ q = "" }] = useFilters();
  const text = q.trim();
  return (
    <>
      <header class="page-head">
        <h1 class="breakable">{text === "" ? "Search" : `Search for “${text}”`}</h1>
      </header>
      {text === "" ? (
        <Empty title="Enter an ID or a partner">
          Search by a partner's name, code or email address, or by transaction ID, customer key, click ID, or the number
          of a sale, commission or lead. Enter a refund as “order-17 / refund-3”.
        </Empty>
      ) : (
        <Results key={text} text={text} />
      )}
    </>
  );
}

interface Hit {
  readonly name: string;
  readonly query: ExplainQuery;
  readonly explanation: Explanation;
}

async function findHits(programId: number, lookups: readonly Lookup[], signal: AbortSignal): Promise<readonly Hit[]> {
  const found = await mapConcurrent(lookups, maxConcurrent, async ({ name, query }) => {
    const explanation = await readExplanation(programId, query, signal).catch((error: unknown) => {
      if (error instanceof Failure && (error.status === 404 || error.status === 400)) return undefined;
      throw error;
    });
    return explanation === undefined ? [] : [{ name, query, explanation }];
  });
  return found.flat();
}

function Results({ text }: { readonly text: string }): JSX.Element {
  const { program } = useProgram();
  const lookups = lookupsOf(text);
  const partners = usePartnerSearch(text);
  const results = useQuery(`program ${program.id} search ${text}`, async (signal) => {
    const live = await findHits(program.id, lookups, signal);
    if (live.length > 0) return { live, test: [] };
    const inTest = lookups.map(({ name, query }) => ({ name, query: { ...query, testMode: "true" as const } }));
    return { live, test: await findHits(program.id, inTest, signal) };
  });
  return (
    <Loaded query={results} skeleton={<Skeleton lines={4} />}>
      {({ live, test }) =>
        partners.data === undefined ? (
          <Skeleton lines={4} />
        ) : live.length + test.length + partners.data.length === 0 ? (
          <Empty title="Nothing found">
            Neither live nor test data has “{text}” as {orList.format(lookups.map(({ name }) => name))}. IDs must match
            exactly. No partner has it in their name, code or email address.
          </Empty>
        ) : (
          <div class="stack">
            {partners.data.length > 0 && <FoundPartners partners={partners.data} text={text} />}
            {test.length > 0 && <Notice look="plain">Live data doesn't have “{text}”. Test data does.</Notice>}
            {live.length + test.length > 0 && (
              <ul class="card hits">
                {[...live, ...test].map((hit) => (
                  <HitItem key={hit.name} hit={hit} />
                ))}
              </ul>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

const maxPartners = 5;

interface FoundPartnersProps {
  readonly partners: readonly Partner[];
  readonly text: string;
}

function FoundPartners({ partners, text }: FoundPartnersProps): JSX.Element {
  const { program } = useProgram();
  return (
    <ul class="card hits partner-hits" aria-label="Partners">
      {partners.slice(0, maxPartners).map(({ id, name, code, email, status }) => (
        <li key={id}>
          <div class="row">
            <a class="breakable" href={partnerAddress(program.id, id)}>
              {name}
            </a>
            {status === "paused" && <Badge tone="warn">Paused</Badge>}
            <small class="soft">Partner</small>
          </div>
          <p class="breakable">{email === null ? code : `${code}, ${email}`}</p>
        </li>
      ))}
      {partners.length > maxPartners && (
        <li>
          <a href={addressWith(programAddress(program.id, "partners"), { q: text })}>View all partners found</a>
        </li>
      )}
    </ul>
  );
}

const orList = new Intl.ListFormat("en", { type: "disjunction" });

function HitItem({ hit: { name, query, explanation } }: { readonly hit: Hit }): JSX.Element {
  const { program } = useProgram();
  return (
    <li>
      <div class="row">
        <a class="breakable" href={explainAddress(program.id, query)}>
          {titleOf(explanation)}
        </a>
        {query.testMode && <Badge tone="warn">Test</Badge>}
        <small class="soft">by {name}</small>
      </div>
      <p class="breakable">{explanation.verdict.message}</p>
      {explanation.missing.slice(0, 1).map((shortfall) => (
        <p key={shortfall.code}>
          <NextStep shortfall={shortfall} partnerCode={explanation.verdict.partnerCode} />
        </p>
      ))}
    </li>
  );
}
