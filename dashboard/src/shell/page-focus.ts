import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A ref for the `main` of a page. It moves focus to each page after the first, for screen readers. */
export function usePageFocus(path: string): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);
  return main;
}

/** Focuses the open dialog, or otherwise the page, if the focused control has been removed. */
export function focusIfLost(): void {
  if (document.activeElement !== document.body) return;
  const dialogs = document.querySelectorAll<HTMLElement>("dialog[open]");
  (dialogs[dialogs.length - 1] ?? document.querySelector("main"))?.focus({ preventScroll: true });
}

/** Keeps focus on the page or in the dialog whenever a focused control is removed, in browsers that report that. */
export function keepFocus(): void {
  addEventListener("focusout", ({ target }) => {
    setTimeout(() => target instanceof Node && !target.isConnected && focusIfLost());
  });
}
