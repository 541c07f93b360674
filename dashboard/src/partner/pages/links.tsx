import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Money } from "../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { pluralize } from "../../format.ts";
import { usePartner } from "../access.tsx";
import { Builder } from "./links/builder.tsx";
import { LinkCode } from "./links/link-code.tsx";
import { NewCode } from "./links/new-code.tsx";
import { isWorking, type Link, type OwnOffer, useLinks } from "./links/queries.ts";

const Coupons = lazy(() => import("./links/coupons.tsx"), null);
const EstimateForm = lazy(() => import("./links/estimate.tsx"), <div class="estimate-waiting" />);
const ByGroup = lazy(() => import("./links/by-group.tsx"), null);

export default function Links(): JSX.Element {
  const { mayWrite } = usePartner();
  const links = useLinks();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <header class="page-head spread">
        <h1>Links</h1>
        {mayWrite && (
          <Button onClick={() => setIsAdding(true)}>
            <PlusIcon /> Add a code
          </Button>
        )}
      </header>
      <Loaded
        query={links}
        skeleton={
          <div class="card">
            <Skeleton lines={4} />
          </div>
        }
      >
        {({ data, meta }) => (
          <div class="stack">
            {meta.offer !== null && <Offer offer={meta.offer} />}
            <Codes links={data} currency={meta.currency} />
            <Builder links={data.filter(isWorking)} websiteUrl={meta.websiteUrl} />
            <Card title="What would I earn?" lead="For a new customer who comes through your link from now on.">
              <EstimateForm />
            </Card>
            <Coupons />
            <ByGroup />
          </div>
        )}
      </Loaded>
      {isAdding && <NewCode onClose={() => setIsAdding(false)} />}
    </>
  );
}

/** The offer for customers who come through the partner's links. */
const Offer = ({ offer: { label, details } }: { readonly offer: OwnOffer }): JSX.Element => (
  <div>
    <p>
      Your readers get <strong>{label}</strong>
      {/[.!?]$/.test(label) ? "" : "."}
    </p>
    {details !== null && <p class="soft">{details}</p>}
  </div>
);

function Codes({ links, currency }: { readonly links: readonly Link[]; readonly currency: string }): JSX.Element {
  if (links.length === 0) return <Empty title="No code yet">Ask the program for a code, or add one of your own.</Empty>;
  return (
    <ul class="stack codes">
      {links.map((link) => (
        <li key={link.code} class="card">
          <OwnCode link={link} />
          <Figures of={link} currency={currency} />
        </li>
      ))}
    </ul>
  );
}

const Figures = ({ of, currency }: { readonly of: Link; readonly currency: string }): JSX.Element => (
  <p class="soft">
    Last 30 days: {pluralize(of.clicks, "click")}, {pluralize(of.leads, "lead")}, {pluralize(of.sales, "sale")},{" "}
    <Money amountCents={of.commissionCents} currency={currency} /> earned
  </p>
);

function OwnCode({ link: { code, link, status } }: { readonly link: Link }): JSX.Element {
  return (
    <>
      <div class="row spread">
        <h2 class="breakable">
          <bdi>{code}</bdi>
        </h2>
        {status === "paused" && <Badge tone="warn">Paused: clicks aren't counted</Badge>}
      </div>
      {link !== null && status === "active" && (
        <>
          <p class="breakable soft">
            <bdi>{link}</bdi>
          </p>
          <div class="row">
            <CopyButton text={link} what={`link of ${code}`} />
            <LinkCode link={link} title="QR code" label={`QR code of ${code}`} />
          </div>
        </>
      )}
    </>
  );
}
