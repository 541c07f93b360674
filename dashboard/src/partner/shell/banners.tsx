import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { usePartner } from "../access.tsx";

const TermsDialog = lazy(() => import("../pages/terms-dialog.tsx"), null);

/** Notices about a read-only view, the partner's status and new terms. */
export function Banners(): JSX.Element | null {
  const { partner, isOwner } = usePartner();
  const text = partner.status === "paused" && partner.isPaused ? partnerPaused : statusTexts[partner.status];
  return (
    <>
      {isOwner && <OwnerView />}
      {text !== undefined && <Notice look="plain">{text}</Notice>}
      {partner.termsPending && partner.role === "manage" && <NewTerms />}
    </>
  );
}

function OwnerView(): JSX.Element {
  const { partner, param } = usePartner();
  return (
    <Notice look="warn">
      <div class="program-banner">
        <p>
          You see what <bdi class="breakable">{partner.name}</bdi> sees. Read only.
        </p>
        <a href={`/app/programs/${param.programId}/partners/${param.partnerId}?tab=details`}>Back to the dashboard</a>
      </div>
    </Notice>
  );
}

function NewTerms(): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Notice look="plain">
        <div class="program-banner">
          <p>The program has new terms.</p>
          <Button onClick={() => setIsOpen(true)}>Read and accept</Button>
        </div>
      </Notice>
      {isOpen && <TermsDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

const pausedText = "clicks on your links aren't counted, and new sales earn nothing. What you have earned stays.";
const partnerPaused = `The program has paused you: ${pausedText}`;

const statusTexts: Readonly<Record<string, string>> = {
  paused: `The program is paused: ${pausedText}`,
  archived: "This program has ended. What you have earned stays.",
};
