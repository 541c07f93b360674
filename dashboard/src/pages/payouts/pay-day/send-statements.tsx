import "./pay-day.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { type Action, errorMessage, useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { pluralize } from "../../../format.ts";
import { MailOutcomes, PartnersLeft, whys } from "../../../forms/mail-outcomes.tsx";
import { paramOf, useProgram, useSignUpMode } from "../../../session.tsx";
import { payoutAddress } from "../../../url.ts";
import { affected, type PayoutWithLines } from "../queries.ts";
import { type PaidLine, statementsOf } from "./statements-of.ts";

const maxNamedAtOnce = 10;

/** The last step of a payout: sends each partner a statement of the payment. */
export default function SendStatements({ payout }: { readonly payout: PayoutWithLines }): JSX.Element | null {
  const { program, mayChange } = useProgram();
  const { data: mode } = useSignUpMode();
  const [isAsking, setIsAsking] = useState(false);
  const mail = useAction(
    (_: undefined) => {
      const param = { ...paramOf(program), payoutId: String(payout.id) };
      return take(api.programs[":programId"].payouts[":payoutId"].statements.mail.$post({ param }));
    },
    { failsIn: "form", refreshes: affected(program), onDone: () => setIsAsking(false) },
  );
  const sendsMail = mode?.sendsMail === true && mayChange("admin");
  const statements = statementsOf(payout);
  if (statements.length === 0) return null;
  const unmailed = statements.filter(({ statementMailedAt }) => statementMailedAt === null);
  const withoutAddress = sendsMail ? unmailed.filter(({ isMailable }) => isMailable === false) : [];
  const mailable = unmailed.filter((line) => !withoutAddress.includes(line));
  const label = `Mail ${withoutAddress.length > 0 ? `${mailable.length} of ` : ""}${pluralize(unmailed.length, "statement")}`;
  return (
    <Card
      title="Send the statements"
      lead="Each partner's statement of this payment. The email about the payment has the statement's sums and a link. Statements that weren't mailed then can be mailed here, once each."
    >
      <div class="row send-statements">
        {sendsMail && mailable.length > 0 && (
          <Button look="primary" onClick={() => setIsAsking(true)}>
            {label}…
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
      {isAsking && (
        <AskFirst
          label={label}
          noAccess={mailable.filter(({ hasAccess }) => !hasAccess)}
          withoutAddress={withoutAddress}
          mail={mail}
          onClose={() => setIsAsking(false)}
        />
      )}
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

interface AskFirstProps {
  readonly label: string;
  readonly noAccess: readonly PaidLine[];
  readonly withoutAddress: readonly PaidLine[];
  readonly mail: Action<undefined, unknown>;
  readonly onClose: () => void;
}

function AskFirst({ label, noAccess, withoutAddress, mail, onClose }: AskFirstProps): JSX.Element {
  return (
    <Dialog title={`${label}?`} onClose={onClose}>
      <p>Each partner gets the totals of their statement and a link to it. Each statement is mailed once.</p>
      {noAccess.length > 0 && (
        <PartnersLeft partners={noAccess} why="without access to their pages: their mail has the sums, but no link" />
      )}
      {withoutAddress.length > 0 && <PartnersLeft partners={withoutAddress} why={`${whys.no_address} get no mail`} />}
      {mail.failure !== undefined && <Notice look="bad">{errorMessage(mail.failure)}</Notice>}
      <div class="row">
        <Button look="primary" isPending={mail.isPending} onClick={() => void mail.run(undefined)}>
          {label}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
