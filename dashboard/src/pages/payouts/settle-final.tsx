import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { CancelPayout } from "./cancel-payout.tsx";
import { ChangedIds } from "./changed-ids.tsx";
import { NeedsOther } from "./needs-other.tsx";
import { affected, type PayoutWithLines } from "./queries.ts";
import { failsUnlessRestored } from "./refusals.ts";

/** A final payout whose lines are settled by the program's own system. */
export function SettleFinal({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const { program, userId } = useProgram();
  const isWaiting = payout.lines.some(({ settlement }) => settlement === "waiting");
  const needsOther = program.payoutApproval === "two_people" && payout.confirmedAt === null;
  const isOwn = isWaiting && needsOther && payout.finalizedBy === userId;
  const confirm = useAction(
    (restoreAcknowledged: string | undefined) => {
      const param = { ...paramOf(program), payoutId: String(payout.id) };
      const json = {
        expectedTotalCents: payout.totalCents,
        ...(restoreAcknowledged !== undefined && { restoreAcknowledged }),
      };
      return take(api.programs[":programId"].payouts[":payoutId"].confirm.$post({ param, json }));
    },
    { done: "Payout confirmed. Its lines are due.", refreshes: affected(program), failsIn: failsUnlessRestored },
  );
  return (
    <Card
      title={isWaiting ? "Confirm this payout" : "Your system settles the lines"}
      lead={
        isWaiting
          ? "The amounts are final, but no line can be settled yet. Confirm the payout to make its lines due."
          : "Your own system reports each line as settled or failed, with an API key that has the scope Settle payouts. The payout closes after its last line."
      }
    >
      {isWaiting && <ChangedIds payout={payout} />}
      {isOwn && <NeedsOther userId={userId} task="confirm it" />}
      <div class="row">
        {isWaiting && !isOwn && (
          <Button look="primary" isPending={confirm.isPending} onClick={() => confirm.run(undefined)}>
            Confirm payout
          </Button>
        )}
        <CancelPayout payout={payout} />
      </div>
      <AskAfterRestore wasFinal {...confirm} action="Confirm payout" onAcknowledge={confirm.run} />
    </Card>
  );
}
