import "./estimate.css";
import type { JSX } from "preact";
import { take } from "../api/client.ts";
import { Estimate } from "../components/estimate.tsx";
import { embedApi, header } from "./client.ts";
import { whyNothing } from "./words.ts";

/** A part that the person opens to see what they would earn from a friend's purchase. */
export const EstimateDetails = ({ currency }: { readonly currency: string }): JSX.Element => (
  <details class="estimate-details">
    <summary>What would I earn?</summary>
    <Estimate
      currency={currency}
      ask={(json) => take(embedApi.estimate.$post({ header, json }))}
      failureText={(failure) => `${whyNothing(failure).title}. Try again in a moment.`}
    />
  </details>
);
