import type { JSX } from "preact";
import { useMany } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";
import { askForDetails, invitationDays, invite, type MailVerb } from "./verbs.ts";

interface MailWords {
  readonly title: (partners: string) => string;
  readonly button: (partners: string) => string;
  readonly text: string;
  readonly done: string;
  readonly mail: MailVerb;
}

const words: Readonly<Record<"invite" | "ask", MailWords>> = {
  invite: {
    title: (partners) => `Invite ${partners} by mail?`,
    button: (partners) => `Invite ${partners}`,
    text: `Each gets a mail with a link to their own pages, where they see their links and earnings and enter their bank details. The link works once, for ${invitationDays} days. Partners who have access or an open invitation get no mail. You can't undo a mail, but you can revoke invitations under “Invite all…”.`,
    done: "Invited",
    mail: invite,
  },
  ask: {
    title: (partners) => `Ask ${partners} for payment details?`,
    button: (partners) => `Ask ${partners}`,
    text: "Each gets an email that asks for payment details, with a link to their pages, at most once a day. Partners who have payment details or no access to their pages get none. You can't undo this.",
    done: "Asked",
    mail: askForDetails,
  },
};

interface MailDialogProps extends VerbProps {
  readonly verb: "invite" | "ask";
}

export function MailDialog({ verb, partners, onDone, onClose }: MailDialogProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany();
  const { title, button, text, done, mail } = words[verb];
  const who = pluralize(partners.length, "partner");
  return (
    <Dialog title={title(who)} onClose={onClose}>
      <p class="soft">{text}</p>
      <Running many={many} label={done} />
      <div class="row">
        <Button
          look="primary"
          isPending={many.progress !== undefined}
          onClick={() => void mail(many, program, partners).then(onDone)}
        >
          {button(who)}
        </Button>
        {many.progress === undefined && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </Dialog>
  );
}
