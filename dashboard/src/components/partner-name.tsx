import type { ComponentChildren, JSX } from "preact";

interface PartnerNameProps {
  readonly name: string;
  readonly code: string;
  /** Default: no link. */
  readonly href?: string;
  readonly linkClass?: string;
  /** Beside the code. */
  readonly children?: ComponentChildren;
}

/** Two partners may have one name, so the code is always beneath it. */
export const PartnerName = ({ name, code, href, linkClass = "", children }: PartnerNameProps): JSX.Element => (
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
