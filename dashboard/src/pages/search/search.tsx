import { PartnerLink } from "../../components/partner-link.tsx";
import "./search.css";
import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { type Partner, usePartnerSearch } from "../../api/partners.ts";
import type { Explanation } from "../../api/types.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { type ExplainQuery, explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import { NextStep } from "../explain/next-step.tsx";
import { WithNames } from "../explain/partner-of-code.tsx";
import { titleOf } from "../explain/words.ts";

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
          Search by a partner's name, code or email address, the beginning of a transaction ID or customer key, a click
          ID, a coupon code, a partner's reference, or the number of a sale, commission or lead. Enter a refund as
          “order-17 / refund-3”.
        </Empty>
      ) : (
        <Results key={text} text={text} />
      )}
    </>
  );
}

const names = {
  clickId: "click ID",
  leadId: "lead ID",
  saleId: "sale ID",
  commissionId: "commission ID",
  transactionId: "transaction ID",
  refundId: "refund ID",
  customerKey: "customer key",
  testMode: undefined,
} as const;

const nameOf = (query: ExplainQuery): string =>
  Object.entries(names)
    .flatMap(([name, title]) => (title !== undefined && name in query ? title : []))
    .join(" and ");

function Results({ text }: { readonly text: string }): JSX.Element {
  const { program } = useProgram();
  const partners = usePartnerSearch(text);
  const results = useProgramQuery("search", { q: text }, async (call, init) => {
    const { data: hits, meta } = await take(api.tracking.search[":programId"].$get(call, init));
    return { hits, ...meta };
  });
  return (
    <Loaded query={results} skeleton={<Skeleton lines={4} />}>
      {({ hits, similar, coupons }) =>
        partners.data === undefined ? (
          <Skeleton lines={4} />
        ) : hits.length + similar.length + coupons.length + partners.data.length === 0 ? (
          <Empty title="Nothing found">
            Neither live nor test data has “{text}” as a transaction ID, a customer key, a coupon or an ID of Tributary,
            or as the beginning of a transaction ID or customer key. No partner has it in their name, code or email
            address.
          </Empty>
        ) : (
          <div class="stack">
            {partners.data.length > 0 && <FoundPartners partners={partners.data} text={text} />}
            {coupons.map(({ id, codes: [code = ""], partnerName }) => (
              <a
                key={id}
                class="card breakable"
                href={addressWith(programAddress(program.id, "partners/coupons"), { code })}
              >
                Coupon {code} of <bdi>{partnerName}</bdi>
              </a>
            ))}
            {(hits[0] ?? similar[0])?.query.testMode && (
              <Notice look="plain">Live data doesn't have “{text}”. Test data does.</Notice>
            )}
            {hits.length > 0 && (
              <ul class="card hits">
                {hits.map((hit) => (
                  <HitItem key={nameOf(hit.query)} text={text} {...hit} />
                ))}
              </ul>
            )}
            {similar.length > 0 && <SimilarIds similar={similar} text={text} />}
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
            <PartnerLink class="breakable" id={id} name={name} />
            {status === "paused" && <Badge tone="warn">Paused</Badge>}
            <small class="soft">Partner</small>
          </div>
          <p class="breakable">{email ? `${code}, ${email}` : code}</p>
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

interface Similar {
  readonly query: ExplainQuery;
  readonly sale?: { readonly amountCents: number; readonly currency: string; readonly occurredAt: string } | undefined;
}

interface SimilarIdsProps {
  readonly similar: readonly Similar[];
  readonly text: string;
}

const SimilarIds = ({ similar, text }: SimilarIdsProps): JSX.Element => (
  <section class="stack" aria-label="Similar IDs">
    <h2 class="breakable">IDs that start with “{text}”</h2>
    <ul class="card hits similar-hits">
      {similar.map((each) => (
        <SimilarId key={`${each.sale === undefined} ${each.query.transactionId ?? each.query.customerKey}`} {...each} />
      ))}
    </ul>
  </section>
);

function SimilarId({ query, sale }: Similar): JSX.Element {
  const { program } = useProgram();
  return (
    <li>
      <div class="row">
        <a class="breakable" href={explainAddress(program.id, query)}>
          {sale === undefined ? `Customer ${query.customerKey}` : `Sale ${query.transactionId}`}
        </a>
        {query.testMode && <Badge tone="warn">Test</Badge>}
        <small class="soft">by {nameOf(query)}</small>
      </div>
      {sale !== undefined && (
        <p>
          <Money amountCents={sale.amountCents} currency={sale.currency} />, <Instant at={sale.occurredAt} />
        </p>
      )}
    </li>
  );
}

interface HitProps {
  readonly text: string;
  readonly query: ExplainQuery;
  readonly explanation: Explanation;
}

/** True if the text is a commission's reference, which a partner knows instead of its ID. */
const isByRef = ({ commissionId }: ExplainQuery, text: string): boolean =>
  commissionId !== undefined && commissionId !== text;

function HitItem({ text, query, explanation }: HitProps): JSX.Element {
  const { program } = useProgram();
  return (
    <li>
      <div class="row">
        <a class="breakable" href={explainAddress(program.id, query)}>
          {titleOf(explanation)}
        </a>
        {query.testMode && <Badge tone="warn">Test</Badge>}
        <small class="soft">by {isByRef(query, text) ? "partner's reference" : nameOf(query)}</small>
      </div>
      <p class="breakable">
        <WithNames text={explanation.verdict.message} of={explanation} />
      </p>
      {explanation.missing.slice(0, 1).map((shortfall) => (
        <p key={shortfall.code}>
          <NextStep shortfall={shortfall} partnerCode={explanation.verdict.partnerCode} />
        </p>
      ))}
    </li>
  );
}
