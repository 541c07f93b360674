import type { ComponentChildren, JSX } from "preact";
import { isVisible } from "#domain/visible-text.ts";

interface PartnerNameProps {
  readonly name: string;
  readonly code: string;
  /** Address that the name links to. Default: no link. */
  readonly href?: string;
  readonly linkClass?: string;
  /** Shown beside the code. */
  readonly children?: ComponentChildren;
}

/** A partner's name, or the code if the name is an old one that consists of invisible characters only. */
export const shownName = (name: string, code: string): string => (isVisible(name) ? name : code);

/** A partner's name, with the code beneath it because two partners may have the same name. */
export function PartnerName({ name: given, code, href, linkClass = "", children }: PartnerNameProps): JSX.Element {
  const name = shownName(given, code);
  return (
    <span class="partner-name">
      {href === undefined ? (
        <bdi class="clipped" title={name}>
          {name}
        </bdi>
      ) : (
        <a class={`plain-link clipped ${linkClass}`.trim()} title={name} href={href}>
          <bdi>{name}</bdi>
        </a>
      )}
      <span class="row">
        <code class="clipped">{code}</code>
        {children}
      </span>
    </span>
  );
}
