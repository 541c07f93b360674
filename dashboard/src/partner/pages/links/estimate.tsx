import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { errorMessage } from "../../../api/use-action.ts";
import { Estimate } from "../../../components/estimate.tsx";
import { usePartner } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

/** Calculates what the partner would earn from a new customer. */
export default function OwnEstimate(): JSX.Element {
  const { partner, param, view } = usePartner();
  const { estimate } = partnerApi.programs[":programId"].partners[":partnerId"];
  return (
    <Estimate
      currency={partner.currency}
      ask={(json) => take(estimate.$post({ param, query: view, json }))}
      failureText={errorMessage}
    />
  );
}
