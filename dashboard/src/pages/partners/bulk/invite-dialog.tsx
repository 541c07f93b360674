import type { JSX } from "preact";
import { useMany } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";
import { invitationDays, invite } from "./verbs.ts";

export function InviteDialog({ partners, onDone, onClose }: VerbProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany();
  const what = `Invite ${pluralize(partners.length, "partner")}`;
  return (
    <Dialog title={`${what} by mail?`} onClose={onClose}>
      <p class="soft">
        Each gets a mail with a link to their own pages, where they see their links and earnings and enter their bank
        details. The link works once, for {invitationDays} days. Partners who have access or an open invitation get no
        mail. You can't undo a mail, but you can revoke invitations under “Invite all…”.
      </p>
      <Running many={many} label="Invited" />
      <div class="row">
        <Button
          look="primary"
          isPending={many.progress !== undefined}
          onClick={() => void invite(many, program, partners).then(onDone)}
        >
          {what}
        </Button>
        {many.progress === undefined && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </Dialog>
  );
}
