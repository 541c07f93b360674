import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly opensUp?: boolean;
  readonly children: ComponentChildren;
}

/** Renders its content, and what that reads, once it is opened. Closes on Esc, a click outside, or a choice. A button that keeps a state isn't a choice. */
export function Menu({ label, button, opensUp = false, children }: MenuProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpened, setIsOpened] = useState(false);
  useEffect(() => {
    const close = (isToReturn: boolean) => {
      const { current } = details;
      if (current === null || !current.open) return;
      current.open = false;
      if (isToReturn) current.querySelector("summary")?.focus();
    };
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && close(true);
    const onClick = ({ target }: MouseEvent) => {
      const isInside = target instanceof Element && details.current?.contains(target);
      if (!isInside || target.closest("a, button:not([aria-pressed], [aria-expanded])")) close(false);
    };
    addEventListener("keydown", onKey);
    addEventListener("click", onClick);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick);
    };
  }, []);
  return (
    <details ref={details} class="menu" onToggle={() => setIsOpened(true)}>
      <summary>
        <span class="unseen">{label}: </span>
        {button}
      </summary>
      <div class={`menu-panel${opensUp ? " up" : ""}`}>{isOpened && children}</div>
    </details>
  );
}
