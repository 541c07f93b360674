import type { JSX } from "preact";

/** The names of docs/*.md, which the service serves as pages. */
export type Guide =
  | "assistants"
  | "attribution"
  | "errors"
  | "going-live"
  | "integration"
  | "keys"
  | "migrate"
  | "missing-sales"
  | "money"
  | "privacy"
  | "reconcile"
  | "sdk"
  | "tracker";

export const guideAddress = (guide: Guide, anchor?: string): string =>
  `/docs/guides/${guide}/${anchor === undefined ? "" : `#${anchor}`}`;

interface GuideLinkProps {
  readonly to: Guide;
  readonly anchor?: string;
  /** The subject of the guide, for screen readers. */
  readonly about: string;
}

export const GuideLink = ({ to, anchor, about }: GuideLinkProps): JSX.Element => (
  <a class="guide-link" href={guideAddress(to, anchor)} target="_blank" rel="noreferrer">
    Read the guide<span class="unseen"> on {about}</span> <span aria-hidden="true">→</span>
  </a>
);
