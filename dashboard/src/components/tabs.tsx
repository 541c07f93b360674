import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";

interface TabsProps {
  readonly label: string;
  /** Addresses of this page, with their filters where they differ by these alone. */
  readonly tabs: readonly { readonly href: string; readonly title: string }[];
}

/** Views of one thing, each with its own address. */
export function Tabs({ label, tabs }: TabsProps): JSX.Element {
  const { url } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, title }) => (
        <a key={href} href={href} aria-current={href === url ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
