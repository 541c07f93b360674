import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { scrollIntoView } from "./scroll-into-view.ts";

interface TabsProps {
  readonly label: string;
  /** Addresses of this page, with their filters where they differ by these alone. Current is, by default, the page's own. */
  readonly tabs: readonly { readonly href: string; readonly title: string; readonly isCurrent?: boolean }[];
}

/** Views of one thing, each with its own address. */
export function Tabs({ label, tabs }: TabsProps): JSX.Element {
  const { url } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, title, isCurrent = href === url }) => (
        <a key={href} href={href} aria-current={isCurrent ? "page" : undefined} ref={isCurrent ? scrollIntoView : null}>
          {title}
        </a>
      ))}
    </nav>
  );
}
