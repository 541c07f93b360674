import type { JSX } from "preact";
import { Notice } from "../../components/notice.tsx";
import { pluralize } from "../../format.ts";
import type { PayoutWithLines } from "./queries.ts";

/**
 * Asks to check the partners' IDs in your own system that have changed since that system last credited the partners.
 */
export function ChangedIds({ payout: { lines } }: { readonly payout: PayoutWithLines }): JSX.Element | null {
  const changed = lines.filter(({ earlierExternalId }) => earlierExternalId !== null);
  if (changed.length === 0) return null;
  return (
    <Notice look="warn">
      Your ID of {pluralize(changed.length, "partner")} has changed since your system last credited them. Check it
      below: an API key can change IDs, and your system credits the customer with this ID.
    </Notice>
  );
}
