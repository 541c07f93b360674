import "./estimate.css";
import type { JSX } from "preact";
import { take } from "../api/client.ts";
import { Estimate } from "../components/estimate.tsx";
import { embedApi, header } from "./client.ts";
import type { Overview } from "./queries.ts";
import { whyNothing } from "./words.ts";

/** A part that the person opens to see what they would earn from a friend's purchase. Empty if sales earn nothing. */
export function EstimateDetails({ overview: { data, meta } }: { readonly overview: Overview }): JSX.Element | null {
  if (data.terms === null) return null;
  return (
    <details class="estimate-details">
      <summary>What would I earn?</summary>
      <Estimate
        currency={meta.currency}
        ask={(json) => take(embedApi.estimate.$post({ header, json }))}
        failureText={(failure) => `${whyNothing(failure).title}. Try again in a moment.`}
      />
    </details>
  );
}
