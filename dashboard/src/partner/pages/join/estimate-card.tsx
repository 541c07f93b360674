import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { errorMessage } from "../../../api/use-action.ts";
import { refresh } from "../../../api/use-query.ts";
import { Card } from "../../../components/card.tsx";
import { Estimate } from "../../../components/estimate.tsx";
import { joinApi } from "../../client.ts";
import { joinKey } from "./queries.ts";

interface EstimateCardProps {
  readonly slug: string;
  readonly currency: string;
}

/** Shows what a new partner would earn from a customer. */
export default function EstimateCard({ slug, currency }: EstimateCardProps): JSX.Element {
  return (
    <Card title="What would I earn?" lead="For a customer whom you refer. Single products can have other terms.">
      <Estimate
        currency={currency}
        ask={(json) =>
          take(joinApi[":slug"].estimate.$post({ param: { slug }, json })).catch((error: unknown) => {
            // A 404 means that the join page was closed meanwhile.
            if (error instanceof Failure && error.status === 404) refresh(joinKey(slug));
            throw error;
          })
        }
        failureText={errorMessage}
      />
    </Card>
  );
}
