import "./pay-day.css";
import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { pluralize } from "../../../format.ts";
import { MailOutcomes, PartnersLeft, whys } from "../../../forms/mail-outcomes.tsx";
import { paramOf, useProgram, useSignUpMode } from "../../../session.tsx";
import { payoutAddress } from "../../../url.ts";
import { affected, type PayoutWithLines } from "../queries.ts";
import { statementsOf } from "./statements-of.ts";

const maxNamedAtOnce = 10;

/** The last step of a payout: sends each partner a statement of the payment. */
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
  const sendsMail = mode?.sendsMail === true && mayChange("admin");
  const statements = statementsOf(payout);
  if (statements.length === 0) return null;
  const unmailed = statements.filter(({ statementMailedAt }) => statementMailedAt === null);
  const withoutAddress = sendsMail ? unmailed.filter(({ isMailable }) => isMailable === false) : [];
  const mailable = unmailed.length - withoutAddress.length;
  return (
    <Card
      title="Send the statements"
      lead="Each partner's statement of this payment. The email about the payment has its sums and a link to it. Statements that weren't mailed then can be mailed here. Each is mailed once."
    >
      <div class="row">
        {sendsMail && mailable > 0 && (
          <Button look="primary" isPending={mail.isPending} onClick={() => void mail.run(undefined)}>
            Mail {withoutAddress.length > 0 && `${mailable} of `}
            {pluralize(unmailed.length, "statement")}
          </Button>
        )}
        <a class="button secondary" href={`${payoutAddress(program.id, payout.id)}?print=statements`}>
          Print {pluralize(statements.length, "statement")}
        </a>
      </div>
      {statements.length > unmailed.length && (
        <p role="status">
          {statements.length - unmailed.length} of {statements.length} mailed.
        </p>
      )}
      {mode?.sendsMail === false && <p class="soft">This service sends no mail: print the statements, or save them.</p>}
      {mail.result !== undefined && <MailOutcomes outcomes={mail.result.data.outcomes} />}
      {mail.result === undefined && withoutAddress.length > 0 && (
        <PartnersLeft
          partners={withoutAddress}
          why={whys.no_address}
          isOpen={withoutAddress.length <= maxNamedAtOnce}
        />
      )}
    </Card>
  );
}
