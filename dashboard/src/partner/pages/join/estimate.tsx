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

/** Calculates what a new partner would earn from a customer. */
export default function JoinEstimate({ slug, currency }: JoinEstimateProps): JSX.Element {
  const ask: Parameters<typeof Estimate>[0]["ask"] = (json) =>
    take(joinApi[":slug"].estimate.$post({ param: { slug }, json })).catch((error: unknown) => {
      // A 404 means that the join page was closed meanwhile.
      if (error instanceof Failure && error.status === 404) refresh(joinKey(slug));
      throw error;
    });
  return <Estimate currency={currency} ask={ask} failureText={errorMessage} />;
}
