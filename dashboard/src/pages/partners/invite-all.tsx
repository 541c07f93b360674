import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take, takeFile } from "../../api/client.ts";
import { partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { pluralize } from "../../format.ts";
import { MailOutcomes, PartnersLeft, whys } from "../../forms/mail-outcomes.tsx";
import { saveFile } from "../../save-file.ts";
import { paramOf, useProgram, useSignUpMode } from "../../session.tsx";

const lengths = ["7", "14"] as const;

export default function InviteAll({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const [isRevoking, setIsRevoking] = useState(false);
  const { invitations } = api.programs[":programId"].partners;
  const invite = useAction(
    ({ days = "7" }: Values) => takeFile(invitations.$post({ param: paramOf(program), json: { days: Number(days) } })),
    {
      failsIn: "form",
      done: "The links are in the downloaded file.",
      refreshes: partnerQueryKeys(program.id),
      onDone: (file) => {
        saveFile(file);
        onClose();
      },
    },
  );
  const { data: mode } = useSignUpMode();
  const invitable = useProgramQuery(
    "invitable partners",
    {},
    async ({ param }, init) => (await take(invitations.$get({ param }, init))).data,
  );
  const mail = useAction(
    (days: string) => take(invitations.$post({ param: paramOf(program), json: { days: Number(days), mail: true } })),
    { failsIn: "form", refreshes: partnerQueryKeys(program.id) },
  );
  const [days, setDays] = useState<string>(lengths[0]);
  const mailable = invitable.data?.filter(({ hasAddress, isMailed }) => hasAddress && !isMailed).length ?? 0;
  const without = invitable.data?.filter(({ hasAddress }) => !hasAddress) ?? [];
  if (isRevoking) return <RevokeAll onClose={onClose} />;
  return (
    <Dialog title="Invite all partners" onClose={onClose}>
      <Form
        action={invite}
        submit="Download invite links"
        onCancel={onClose}
        beside={
          <>
            {mode?.sendsMail === true && (mailable > 0 || mail.isPending) && (
              <Button isPending={mail.isPending} onClick={() => void mail.run(days)}>
                Mail {pluralize(mailable, "invitation")}
              </Button>
            )}
            <Button onClick={() => setIsRevoking(true)}>Revoke open invitations…</Button>
          </>
        }
      >
        <p class="soft">
          You get a CSV file with a link for each active partner who has no access yet, up to 1,000, for your own
          mailing. Each link works once and replaces the partner's open invitation, so send the newest file.
        </p>
        <SelectField
          name="days"
          label="Links work for"
          options={lengths.map((days) => [days, `${days} days`] as const)}
          value={days}
          onInput={setDays}
        />
        {mail.failure !== undefined && <Notice look="bad">{mail.failure.message}</Notice>}
        {mail.result !== undefined && "data" in mail.result ? (
          <MailOutcomes outcomes={mail.result.data.outcomes} />
        ) : (
          without.length > 0 && <PartnersLeft partners={without} why={whys.no_address} />
        )}
      </Form>
    </Dialog>
  );
}

function RevokeAll({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const revoke = useAction(
    (_: Values) => take(api.programs[":programId"].partners.invitations.$delete({ param: paramOf(program) })),
    {
      failsIn: "form",
      done: "No invitation is open any more.",
      refreshes: partnerQueryKeys(program.id),
      onDone: onClose,
    },
  );
  return (
    <Dialog title="Revoke all open invitations?" onClose={onClose}>
      <Form action={revoke} submit="Revoke invitations" submitLook="destructive" onCancel={onClose}>
        <p class="soft">The links that you sent no longer work. Partners who have accepted keep their access.</p>
      </Form>
    </Dialog>
  );
}
