import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { pluralize } from "../../format.ts";
import { useProgram } from "../../session.tsx";
import { CancelPayout } from "./cancel-payout.tsx";
import { Changes } from "./changes.tsx";
import { affected, type PayoutWithLines, paramOf } from "./queries.ts";
import { changedUntil, countChanged, expectedTotal } from "./totals.ts";

export function FinalizeDraft({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const { program } = useProgram();
  const [includesChanged, setIncludesChanged] = useState(false);
  const changed = countChanged(payout);
  const total = expectedTotal(payout, includesChanged);
  const hasChanges = payout.changes.length > 0;
  const finalize = useAction(
    (expectedTotalCents: number) => {
      const param = { ...paramOf(program), payoutId: String(payout.id) };
      const json = { expectedTotalCents, includeChanged: includesChanged, changedUntil: changedUntil(payout) };
      return take(api.programs[":programId"].payouts[":payoutId"].finalize.$post({ param, json }));
    },
    { failsIn: "form", refreshes: affected(program) },
  );
  return (
    <Card
      title={hasChanges ? "The amounts have changed" : "Check this draft"}
      lead={
        hasChanges
          ? "Commissions, refunds or partners changed since you looked. Check the new amounts, then finalize again."
          : "Finalizing reserves these commissions, so that refunds can no longer change what you pay."
      }
    >
      {hasChanges && <Changes payout={payout} />}
      {changed > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={includesChanged}
            onChange={(event) => setIncludesChanged(event.currentTarget.checked)}
          />
          <span>
            Include {pluralize(changed, "partner")} whose email address was changed recently. Check with them first: a
            changed address can be a sign of fraud.
          </span>
        </label>
      )}
      {finalize.failure !== undefined && !hasChanges && <Notice look="bad">{finalize.failure.message}</Notice>}
      <div class="row">
        <Button
          look="primary"
          isPending={finalize.isPending}
          isDisabled={total <= 0}
          onClick={() => finalize.run(total)}
        >
          {hasChanges ? "Accept and finalize" : "Finalize"} <Money amountCents={total} currency={payout.currency} />
        </Button>
        <CancelPayout payout={payout} />
      </div>
    </Card>
  );
}
