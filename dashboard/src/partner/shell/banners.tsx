import type { JSX } from "preact";
import { Notice } from "../../components/notice.tsx";
import { usePartner } from "../access.tsx";

/** Why something can't be changed. */
export function Banners(): JSX.Element | null {
  const { partner, param, isOwner } = usePartner();
  if (isOwner) {
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
  const text = statusTexts[partner.status];
  return text === undefined ? null : <Notice look="plain">{text}</Notice>;
}

const statusTexts: Readonly<Record<string, string>> = {
  paused: "The program has paused your links: clicks on them aren't counted. What you have earned stays.",
  archived: "This program has ended. What you have earned stays.",
};
