import type { JSX } from "preact";
import { pluralize } from "../../format.ts";
import { PartnersLeft, whys } from "../../forms/mail-outcomes.tsx";
import { type Session, useSession, useSignUpMode } from "../../session.tsx";
import type { Line } from "./queries.ts";

interface MailsOnPaidProps {
  readonly lines: readonly Line[];
}

/** Says which partners are mailed when the payout is marked as paid. */
export function MailsOnPaid({ lines }: MailsOnPaidProps): JSX.Element | null {
  const { data: session } = useSession();
  return session ? <Mails lines={lines} user={session.user} /> : null;
}

function Mails({ lines, user }: MailsOnPaidProps & Pick<Session, "user">): JSX.Element | null {
  const { data: mode } = useSignUpMode();
  if (mode === undefined) return null;
  if (!mode.sendsMail) return <p>No one is mailed, because this service sends no mail.</p>;
  if (!user.emailVerified) {
    return (
      <p>
        No one is mailed, because your address isn't verified. Open the link that was mailed to{" "}
        <span class="breakable">{user.email}</span> first, or mail the statements from this page later.
      </p>
    );
  }
  const mailed = lines.filter(({ isMailedWhenPaid }) => isMailedWhenPaid);
  const withoutAddress = lines.filter(({ isMailable }) => !isMailable);
  const embedded = lines.filter(({ isMailable, isMailedWhenPaid }) => isMailable && !isMailedWhenPaid);
  const noAccess = mailed.filter(({ hasAccess }) => !hasAccess);
  return (
    <>
      <p>
        {mailed.length > 0
          ? `Also mails ${pluralize(mailed.length, "partner")} at once that they were paid, with the sums of their statement.`
          : "No one is mailed."}
      </p>
      {noAccess.length > 0 && (
        <PartnersLeft partners={noAccess} why="without access to their pages: no link in their mail" />
      )}
      {embedded.length > 0 && (
        <PartnersLeft partners={embedded} why="of your embedded referral page without access to their pages: no mail" />
      )}
      {withoutAddress.length > 0 && <PartnersLeft partners={withoutAddress} why={`${whys.no_address}: no mail`} />}
    </>
  );
}
