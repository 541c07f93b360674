import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { type AddedPartner, PartnerForm } from "../../forms/partner-form.tsx";
import { nameInText } from "../../named-by-code.ts";
import { InvitePartner } from "./invite-partner.tsx";

export default function NewPartner({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [added, setAdded] = useState<AddedPartner>();
  const [isInviting, setIsInviting] = useState(false);
  if (added === undefined) {
    return (
      <Dialog title="Add a partner" onClose={onClose}>
        <PartnerForm onDone={setAdded} />
      </Dialog>
    );
  }
  if (isInviting) return <InvitePartner partner={added} onClose={onClose} />;
  return (
    <Dialog title={`${nameInText(added.name)} was added`} onClose={onClose}>
      {added.link === null ? (
        <p class="soft">They get a link once you set the program's website in Settings.</p>
      ) : (
        <>
          <p class="soft">This is the link they share. Visitors who use it are credited to them.</p>
          <Code text={added.link} what="link" />
        </>
      )}
      {added.email != null && (
        <p class="soft">
          They can't see their own pages until you invite them at <bdi>{added.email}</bdi>.
        </p>
      )}
      <div class="row">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
        {added.email != null && <Button onClick={() => setIsInviting(true)}>Invite…</Button>}
        <Button onClick={() => setAdded(undefined)}>Add another</Button>
      </div>
    </Dialog>
  );
}
