import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { scrollToCurrent } from "./scroll-to-current.ts";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly title: string; readonly isCurrent?: boolean }[];
}

export function Tabs({ label, tabs }: TabsProps): JSX.Element {
  const { url } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, title, isCurrent = href === url }) => (
        <a
          key={href}
          href={href}
          aria-current={isCurrent ? "page" : undefined}
          ref={isCurrent ? scrollToCurrent : null}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
