import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Money } from "../../components/numbers.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAmount, explainClick, explainPolicy, readExplanation } from "../../explanation.ts";
import { useProgram } from "../../session.tsx";
import { describeStatus } from "../events/story.ts";
import { CommissionBadge } from "./commission-table.tsx";
import { mayApprove, mayReject } from "./decide.ts";
import type { Commission } from "./queries.ts";

interface CommissionPanelProps {
  readonly commission: Commission;
  readonly isPending: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onClose: () => void;
}

export function CommissionPanel({
  commission,
  isPending,
  onApprove,
  onReject,
  onClose,
}: CommissionPanelProps): JSX.Element {
  const { may } = useProgram();
  return (
    <Dialog title={commission.transactionId} look="drawer" onClose={onClose}>
      <div class="row">
        <strong class="amount">
          <Money amountCents={commission.amountCents} currency={commission.currency} />
        </strong>
        <CommissionBadge {...commission} />
      </div>
      <section class="stack">
        <h3>Explanation</h3>
        <ul class="why">
          {sentencesOf(commission).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
      <dl class="facts">
        <dt>Partner</dt>
        <dd>{commission.partnerCode ?? "None"}</dd>
        <dt>Customer</dt>
        <dd>{commission.customerKey ?? "No customer key"}</dd>
        <dt>Commission ID</dt>
        <dd class="figures">{commission.id}</dd>
        <dt>Sale ID</dt>
        <dd class="figures">{commission.saleId}</dd>
        <dt>Created</dt>
        <dd>
          <Instant at={commission.createdAt} />
        </dd>
      </dl>
      {may("admin") && mayReject(commission) && (
        <div class="row">
          {mayApprove(commission) && (
            <Button look="primary" isPending={isPending} onClick={onApprove}>
              Approve
            </Button>
          )}
          <Button look="danger" isPending={isPending} onClick={onReject}>
            Reject…
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function sentencesOf(commission: Commission): string[] {
  const explanation = readExplanation(commission.explanation);
  const sentences = [
    explainAmount(explanation),
    explainClick(explanation),
    explainPolicy(explanation),
    describeStatus({ ...commission, explanation }, false, [], Date.now()),
  ];
  return sentences.filter((sentence) => sentence !== undefined);
}
