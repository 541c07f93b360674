import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { EstimateDetails } from "./estimate.tsx";
import { CodeForm, useNewLink } from "./new-link.tsx";
import type { Overview } from "./queries.ts";
import { whyNoLink } from "./words.ts";

/** Shows what customers get and what the person earns. */
export function Benefits({ overview: { data } }: { readonly overview: Overview }): JSX.Element {
  const { offer, terms } = data;
  return (
    <>
      {offer !== null && (
        <p class="offer">
          Your friends get <strong>{offer.label}</strong>
          {/[.!?]$/.test(offer.label) ? "" : "."}
        </p>
      )}
      {offer !== null && offer.details !== null && <p class="soft">{offer.details}</p>}
      {terms !== null && <p>You earn {terms}.</p>}
    </>
  );
}

/** The page of a person without a link. */
export function Start({ overview }: { readonly overview: Overview }): JSX.Element {
  const link = useNewLink();
  // Another partner may have the code that the integrator's product chose.
  const [isTaken, setIsTaken] = useState(false);
  if (link.failure?.code === "code_taken" && !isTaken) setIsTaken(true);
  return (
    <section class="card" aria-labelledby="start">
      <h2 id="start">Share your own link</h2>
      <Benefits overview={overview} />
      {overview.data.status !== "paused" && (isTaken ? <CodeForm link={link} /> : <OneButton link={link} />)}
      <EstimateDetails overview={overview} />
    </section>
  );
}

const OneButton = ({ link }: { readonly link: ReturnType<typeof useNewLink> }): JSX.Element => (
  <>
    <div>
      <Button look="primary" isPending={link.isPending} onClick={() => void link.create()}>
        Get your link
      </Button>
    </div>
    {link.failure !== undefined && (
      <p class="fault" role="alert">
        {whyNoLink(link.failure)}
      </p>
    )}
  </>
);
