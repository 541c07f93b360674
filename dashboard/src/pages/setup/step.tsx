import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { type Guide, GuideLink } from "../../components/guide-link.tsx";
import { CheckIcon } from "../../components/icons.tsx";

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  /** Shown on the step's line while it is closed and done. */
  readonly value?: ComponentChildren;
  readonly mayEdit: boolean;
  readonly guide?: Guide;
  readonly onOpen: () => void;
  readonly children: ComponentChildren;
}

/**
 * A step, which is a single line while it is closed. It takes focus when it opens, since the button that opened it is
 * gone.
 */
export function Step({ title, isDone, isOpen, value, mayEdit, guide, onOpen, children }: StepProps): JSX.Element {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const verb = isDone ? (mayEdit ? "Edit" : "View") : "Open";
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isOpen && !wasOpen.current) heading.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <li class={`step card${isDone ? " done" : ""}`} aria-labelledby={id} aria-current={isOpen ? "step" : undefined}>
      <span class="step-mark">
        {isDone && <CheckIcon />}
        <span class="unseen">{isDone ? "Done" : "To do"}</span>
      </span>
      <div class="stack">
        <div class="step-head">
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {!isOpen && isDone && <span class="step-value soft">{value}</span>}
          {isOpen ? (
            guide && <GuideLink to={guide} about={title} />
          ) : (
            <Button look="quiet" label={`${verb} ${title}`} onClick={onOpen}>
              {verb}
            </Button>
          )}
        </div>
        {isOpen && children}
      </div>
    </li>
  );
}
