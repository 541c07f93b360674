import type { JSX } from "preact";
import { take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { partnerKey, usePartner, usePartnerQuery } from "../access.tsx";
import { partnerApi } from "../client.ts";
import { TermsText } from "../terms-text.tsx";

const route = () => partnerApi.programs[":programId"].partners[":partnerId"].terms;

/** Asks the partner to accept the newest version of the terms. */
export default function TermsDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { param } = usePartner();
  const terms = usePartnerQuery("terms", {}, async (call, init) => (await take(route().$get(call, init))).data);
  const accept = useAction((version: number) => take(route().accept.$post({ param, json: { version } })), {
    done: "Terms accepted.",
    refreshes: ["partner programs", `${partnerKey(param)}terms`],
    onDone: onClose,
  });
  return (
    <Dialog title="Terms of the program" onClose={onClose}>
      <Loaded query={terms} skeleton={<Skeleton lines={6} />}>
        {(found) =>
          found && (
            <>
              <TermsText text={found.text} />
              <div class="row">
                <Button look="primary" isPending={accept.isPending} onClick={() => accept.run(found.version)}>
                  Accept terms
                </Button>
                <Button onClick={onClose}>Not now</Button>
              </div>
            </>
          )
        }
      </Loaded>
    </Dialog>
  );
}
