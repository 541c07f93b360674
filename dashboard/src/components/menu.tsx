import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly opensUp?: boolean;
  /** Shows the panel above all other elements, so that none of them cuts it off. */
  readonly isFloating?: boolean;
  readonly children: ComponentChildren;
}

const choices = ".menu-panel :is(a, button)";

/** Moves between the choices of an open menu by the arrow keys. */
function moveBetweenChoices(event: KeyboardEvent): void {
  const { currentTarget, key } = event;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || !(currentTarget instanceof HTMLDetailsElement) || !currentTarget.open) return;
  event.preventDefault();
  const all = [...currentTarget.querySelectorAll<HTMLElement>(choices)];
  const at = all.findIndex((choice) => choice.matches(":focus"));
  all.at(at < 0 && step < 0 ? -1 : (at + step) % all.length)?.focus();
}

/**
 * A menu that doesn't render its children, and so doesn't read their data, before it is opened. It closes on Esc, a
 * click outside, or a choice; a button that toggles something isn't a choice.
 */
export function Menu({ label, button, opensUp = false, isFloating = false, children }: MenuProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpened, setIsOpened] = useState(false);
  useEffect(() => {
    const close = (isToReturn?: boolean) => {
      const { current } = details;
      if (current === null || !current.open) return;
      current.open = false;
      if (isToReturn) current.querySelector("summary")?.focus();
    };
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && close(true);
    const onClick = ({ target }: MouseEvent) => {
      const isInside = target instanceof Element && details.current?.contains(target);
      if (!isInside || target.closest("a, button:not([aria-pressed], [aria-expanded])")) close(isInside);
    };
    const onScroll = () => isFloating && close(false);
    addEventListener("scroll", onScroll, { capture: true, passive: true });
    addEventListener("keydown", onKey);
    // Captures the click, so that the menu closes before the choice opens a dialog: when the dialog closes, it returns
    // the focus to the element that had it when the dialog opened.
    addEventListener("click", onClick, true);
    return () => {
      removeEventListener("scroll", onScroll, { capture: true });
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick, true);
    };
  }, []);
  return (
    <details
      ref={details}
      class={isFloating ? "menu floating" : "menu"}
      onKeyDown={moveBetweenChoices}
      onToggle={({ currentTarget }) => {
        setIsOpened(true);
        // Waits until the content is rendered and its height is known.
        if (isFloating && currentTarget.open) requestAnimationFrame(() => float(currentTarget));
      }}
    >
      <summary>
        <span class="unseen">{label}: </span>
        {button}
      </summary>
      <div class={`menu-panel${opensUp ? " up" : ""}`}>{isOpened && children}</div>
    </details>
  );
}

/** Places the panel below its button, or above it if there is too little room below. */
function float(details: HTMLDetailsElement): void {
  const panel = details.querySelector<HTMLElement>(".menu-panel");
  if (panel === null) return;
  const { top, bottom, right } = details.getBoundingClientRect();
  const isBelow = bottom + panel.offsetHeight < innerHeight;
  panel.style.insetInlineEnd = `${document.documentElement.clientWidth - right}px`;
  panel.style.top = isBelow ? `${bottom}px` : `${top - panel.offsetHeight}px`;
}
