import type { ComponentChildren, JSX } from "preact";

type Look = "primary" | "secondary" | "quiet" | "danger" | "destructive";

interface ButtonProps {
  readonly look?: Look;
  readonly type?: "button" | "submit";
  /** While pending, the button keeps its width and ignores clicks. */
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  readonly label?: string;
  /** The keyboard shortcut for the button, as it is shown on it. */
  readonly shortcut?: string | undefined;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export const Button = ({
  look = "secondary",
  type = "button",
  isPending = false,
  isDisabled = false,
  label,
  shortcut,
  onClick,
  children,
}: ButtonProps): JSX.Element => (
  <button
    type={type}
    class={`button ${look}`}
    disabled={isDisabled}
    aria-disabled={isPending || undefined}
    aria-busy={isPending || undefined}
    aria-label={label}
    aria-keyshortcuts={shortcut}
    title={label}
    onClick={(event) => {
      if (isPending) event.preventDefault();
      else onClick?.();
    }}
  >
    {children}
    {shortcut && <span aria-hidden="true">{shortcut}</span>}
  </button>
);

interface ButtonLinkProps {
  readonly href: string;
  readonly look?: Look;
  readonly isNewTab?: boolean;
  readonly children: ComponentChildren;
}

export const ButtonLink = ({ href, look = "secondary", isNewTab = false, children }: ButtonLinkProps): JSX.Element => (
  <a class={`button ${look}`} href={href} {...(isNewTab && { target: "_blank", rel: "noreferrer" })}>
    {children}
  </a>
);
