import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { errorMessage } from "../../../api/use-action.ts";
import { Card } from "../../../components/card.tsx";
import { Estimate } from "../../../components/estimate.tsx";
import { usePartner } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

/** Shows what the partner would earn from a new customer. */
export function EstimateCard(): JSX.Element {
  const { partner, param, view } = usePartner();
  const { estimate } = partnerApi.programs[":programId"].partners[":partnerId"];
  return (
    <Card title="What would I earn?" lead="For a new customer who comes through your link from now on.">
      <Estimate
        currency={partner.currency}
        ask={(json) => take(estimate.$post({ param, query: view, json }))}
        failureText={errorMessage}
      />
    </Card>
  );
}
