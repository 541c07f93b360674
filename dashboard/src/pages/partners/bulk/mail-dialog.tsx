import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useMany } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";
import { checkMails, invitationDays, type MailCheck, type MailVerb, mailPartners } from "./verbs.ts";

interface MailWords {
  readonly title: (partners: string) => string;
  readonly button: (partners: string) => string;
  readonly text: string;
  readonly done: string;
}

const words: Readonly<Record<MailVerb, MailWords>> = {
  invite: {
    title: (partners) => `Invite ${partners} by mail?`,
    button: (partners) => `Invite ${partners}`,
    text: `Each gets an email with a link to their own pages, where they see their links and earnings and enter their bank details. The link works once, for ${invitationDays} days. Partners who have access or an open invitation get none. You can't undo this, but you can revoke invitations under “Invite all…”.`,
    done: "Invited",
  },
  ask: {
    title: (partners) => `Ask ${partners} for payment details?`,
    button: (partners) => `Ask ${partners}`,
    text: "Each gets an email that asks for payment details, with a link to their pages, at most once a day. Partners who have payment details or no access to their pages get none. You can't undo this.",
    done: "Asked",
  },
};

interface MailDialogProps extends VerbProps {
  readonly verb: MailVerb;
}

/** Mails partners. Shows first how many of them would get a mail. */
export function MailDialog({ verb, partners, onDone, onClose }: MailDialogProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany();
  const [check, setCheck] = useState<MailCheck>();
  const mails = { many, program, verb, partners };
  useEffect(() => void checkMails(mails).then(setCheck), []);
  const { title, button, text, done } = words[verb];
  // If the check stopped early, the count is unknown.
  const count = check === undefined || check.fault !== "" ? undefined : check.count;
  const all = pluralize(partners.length, "partner");
  const isPart = count !== undefined && count < partners.length;
  return (
    <Dialog title={title(isPart ? `${formatCount(count)} of ${all}` : all)} onClose={onClose}>
      <p class="soft">{text}</p>
      {check !== undefined && check.left.length > 0 && (
        <div role="status">
          <ul>
            {check.left.map((left) => (
              <li key={left}>{left}</li>
            ))}
          </ul>
        </div>
      )}
      {check !== undefined && check.fault !== "" && <Notice look="warn">{check.fault}</Notice>}
      <Running many={many} label={check === undefined ? "Checked" : done} />
      <div class="row">
        <Button
          look="primary"
          isDisabled={check === undefined || count === 0}
          isPending={many.progress !== undefined}
          onClick={() => void mailPartners(mails).then(onDone)}
        >
          {button(count === undefined ? all : pluralize(count, "partner"))}
        </Button>
        {(check === undefined || many.progress === undefined) && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </Dialog>
  );
}
