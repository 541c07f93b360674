import "./pay-day.css";
import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { pluralize } from "../../../format.ts";
import { MailOutcomes } from "../../../forms/mail-outcomes.tsx";
import { paramOf, useProgram, useSignUpMode } from "../../../session.tsx";
import { payoutAddress } from "../../../url.ts";
import { affected, type PayoutWithLines } from "../queries.ts";
import { statementsOf } from "./statements-of.ts";

/** The last step: each partner gets a statement of the payment. */
export default function SendStatements({ payout }: { readonly payout: PayoutWithLines }): JSX.Element | null {
  const { program, mayChange } = useProgram();
  const { data: mode } = useSignUpMode();
  const mail = useAction(
    (_: undefined) => {
      const param = { ...paramOf(program), payoutId: String(payout.id) };
      return take(api.programs[":programId"].payouts[":payoutId"].statements.mail.$post({ param }));
    },
    { refreshes: affected(program) },
  );
  const statements = statementsOf(payout);
  if (statements.length === 0) return null;
  const unmailed = statements.filter(({ statementMailedAt }) => statementMailedAt === null).length;
  const sendsMail = mode?.sendsMail === true && mayChange("admin");
  return (
    <Card
      title="Send the statements"
      lead="Each partner's statement of this payment. A mail has its sums and a link to it; each is mailed once."
    >
      <div class="row">
        {sendsMail && unmailed > 0 && (
          <Button look="primary" isPending={mail.isPending} onClick={() => void mail.run(undefined)}>
            Mail {pluralize(unmailed, "statement")}
          </Button>
        )}
        <a class="button secondary" href={`${payoutAddress(program.id, payout.id)}?print=statements`}>
          Print {pluralize(statements.length, "statement")}
        </a>
      </div>
      {statements.length > unmailed && (
        <p role="status">
          {statements.length - unmailed} of {statements.length} mailed.
        </p>
      )}
      {mode?.sendsMail === false && <p class="soft">This service sends no mail: print the statements, or save them.</p>}
      {mail.result !== undefined && <MailOutcomes outcomes={mail.result.data.outcomes} />}
    </Card>
  );
}
