import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** For the `main` of a page: moves focus to each new page, for screen readers, but not to the first. */
export function usePageFocus(path: string): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);
  return main;
}

/** After the focused control has left the page. */
export function focusIfLost(): void {
  if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
}
