import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { errorMessage } from "../../../api/use-action.ts";
import { refresh } from "../../../api/use-query.ts";
import { Estimate } from "../../../components/estimate.tsx";
import { joinApi } from "../../client.ts";
import { joinKey } from "./queries.ts";

interface JoinEstimateProps {
  readonly slug: string;
  readonly currency: string;
}

/** A part that the visitor opens to see what a new partner would earn from a customer. */
export function JoinEstimate({ slug, currency }: JoinEstimateProps): JSX.Element {
  const ask: Parameters<typeof Estimate>[0]["ask"] = (json) =>
    take(joinApi[":slug"].estimate.$post({ param: { slug }, json })).catch((error: unknown) => {
      // A 404 means that the join page was closed meanwhile.
      if (error instanceof Failure && error.status === 404) refresh(joinKey(slug));
      throw error;
    });
  return (
    <details class="join-part">
      <summary>What would I earn?</summary>
      <p class="soft">From a customer whom you refer. Single products can have other terms.</p>
      <Estimate currency={currency} ask={ask} failureText={errorMessage} />
    </details>
  );
}
