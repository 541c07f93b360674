import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { type Partner, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Instant } from "../../components/time.tsx";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";

interface InvitePartnerProps {
  readonly partner: Pick<Partner, "id" | "name">;
  readonly onClose: () => void;
}

/** Invites a partner. The link of the invitation is shown only once. */
export function InvitePartner({ partner, onClose }: InvitePartnerProps): JSX.Element {
  const { program, may } = useProgram();
  const invite = useAction(
    ({ role, member }: Values) => {
      const param = { ...paramOf(program), partnerId: String(partner.id) };
      const json = { role: role === "view" ? ("view" as const) : ("manage" as const), member: member !== undefined };
      return take(api.programs[":programId"].partners[":partnerId"].invitations.$post({ param, json }));
    },
    { failsIn: "form", refreshes: partnerQueryKeys(program.id) },
  );
  const invitation = invite.result?.data;
  return (
    <Dialog title={`Invite ${nameInText(partner.name)}`} onClose={onClose}>
      {invitation === undefined ? (
        <Form action={invite} submit="Create invite link" onCancel={onClose}>
          <SelectField
            name="role"
            label="Role"
            options={[
              ["manage", "Manage: sees everything of their own, adds codes and changes the profile"],
              ["view", "View only"],
            ]}
            hint="If the partner has an email address and this service sends mail, the link is mailed too. The new link replaces an open invitation."
          />
          {may("owner") && (
            <label class="check-line">
              <input type="checkbox" name="member" />A member of this workspace may accept it
            </label>
          )}
        </Form>
      ) : (
        <>
          <Code text={invitation.inviteUrl} what="invite link" />
          <Notice look="warn">
            {invitation.mailedTo === null
              ? `Copy the link now and send it to ${nameInText(partner.name)}.`
              : `Mailed to ${invitation.mailedTo}.`}{" "}
            The link won't be shown again. It works once, until <Instant at={invitation.expiresAt} />, for the first
            account that accepts it.
          </Notice>
          <div class="row">
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
