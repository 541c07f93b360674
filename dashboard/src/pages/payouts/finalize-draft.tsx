import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { Failure } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { pluralize } from "../../format.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { CancelPayout } from "./cancel-payout.tsx";
import { ChangedIds } from "./changed-ids.tsx";
import { Changes } from "./changes.tsx";
import { hasNoWay } from "./no-way-to-pay.tsx";
import { affected, type PayoutWithLines } from "./queries.ts";
import { type ChangedLines, changedIn, restoredIn } from "./refusals.ts";
import { SettledBy } from "./settled-by.tsx";
import { changedTotal, changedUntil, countChanged, expectedTotal } from "./totals.ts";

export function FinalizeDraft({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const { program } = useProgram();
  const [includesChanged, setIncludesChanged] = useState(false);
  // The changes stay visible while the new total is being sent.
  const [changed, setChanged] = useState<ChangedLines>();
  const { currency } = payout;
  const [settledBy, setSettledBy] = useState(payout.settledBy);
  const isByApi = settledBy === "api";
  const unpayable = isByApi ? 0 : payout.lines.filter(hasNoWay).length;
  const [acceptsUnpayable, setAcceptsUnpayable] = useState(false);
  const isUnaccepted = unpayable > 0 && !acceptsUnpayable;
  const changedPartners = isByApi ? 0 : countChanged(payout);
  const total =
    changed === undefined ? expectedTotal(payout, includesChanged || isByApi) : changedTotal(payout, changed.changes);
  const finalize = useAction(
    async (restoreAcknowledged: string | undefined) => {
      const param = { ...paramOf(program), payoutId: String(payout.id) };
      const json = {
        expectedTotalCents: total,
        settledBy,
        includeChanged: includesChanged,
        changedUntil: changedUntil(payout),
        ...(restoreAcknowledged !== undefined && { restoreAcknowledged }),
      };
      try {
        return await take(api.programs[":programId"].payouts[":payoutId"].finalize.$post({ param, json }));
      } catch (error) {
        const changes = error instanceof Failure ? changedIn(error) : undefined;
        if (changes !== undefined) setChanged(changes);
        throw error;
      }
    },
    { failsIn: "form", refreshes: affected(program) },
  );
  const [acknowledged, setAcknowledged] = useState<string>();
  const { failure } = finalize;
  return (
    <Card {...wordsOf(changed)}>
      {changed !== undefined && <Changes changes={changed.changes} payout={payout} />}
      {changed?.code === "total_differs" && (
        <p>
          New total: <Money amountCents={total} currency={currency} />. The draft had{" "}
          <Money amountCents={payout.totalCents} currency={currency} />.
        </p>
      )}
      <SettledBy
        value={settledBy}
        onInput={(chosen) => {
          setSettledBy(chosen);
          setChanged(undefined);
        }}
      />
      {isByApi && <ChangedIds payout={payout} />}
      {changedPartners > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={includesChanged}
            onChange={(event) => {
              setIncludesChanged(event.currentTarget.checked);
              setChanged(undefined);
            }}
          />
          <span>
            Include {pluralize(changedPartners, "partner")} whose email address or payment details were changed
            recently. Check with them first: a change can be a sign of fraud.
          </span>
        </label>
      )}
      {unpayable > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={acceptsUnpayable}
            onChange={(event) => setAcceptsUnpayable(event.currentTarget.checked)}
          />
          <span>
            Include {pluralize(unpayable, "partner")} with no way to be paid yet. Ask them before you send the money.
          </span>
        </label>
      )}
      {failure !== undefined && restoredIn(failure) === undefined && changedIn(failure) === undefined && (
        <Notice look="bad">{failure.message}</Notice>
      )}
      <AskAfterRestore
        {...finalize}
        action="Finalize"
        onAcknowledge={(restoredAt) => {
          setAcknowledged(restoredAt);
          void finalize.run(restoredAt);
        }}
      />
      <div class="row finalizing">
        {changed?.code !== "all_left_out" && (
          <Button
            look="primary"
            isPending={finalize.isPending}
            isDisabled={total <= 0 || isUnaccepted}
            onClick={() => finalize.run(acknowledged)}
          >
            {changed === undefined ? "Finalize" : "Accept and finalize"}{" "}
            <Money amountCents={total} currency={currency} />
          </Button>
        )}
        <CancelPayout payout={payout} />
        {isUnaccepted && changed?.code !== "all_left_out" && (
          <span class="hint">
            To finalize, agree to include {pluralize(unpayable, "partner")} with no way to be paid yet. Or cancel this
            draft, and create one that pays only partners you choose.
          </span>
        )}
      </div>
    </Card>
  );
}

function wordsOf(changed: ChangedLines | undefined): { readonly title: string; readonly lead: string } {
  switch (changed?.code) {
    case "total_differs":
      return {
        title: "The amounts have changed",
        lead: "Commissions, refunds or partners changed since the draft was created. Check the new amounts, then accept them.",
      };
    case "all_left_out":
      return {
        title: "Nothing is left to pay",
        lead: "Every partner of this draft is left out now. Cancel it, and create another payout when there is something to pay.",
      };
    case undefined:
      return {
        title: "Check this draft",
        lead: "Finalizing fixes these amounts and moves them to “In payout”. Later refunds are deducted from the next payout.",
      };
  }
}
