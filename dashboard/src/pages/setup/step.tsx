import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { CheckIcon } from "../../components/icons.tsx";

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

export function Step({ title, isDone, children }: StepProps): JSX.Element {
  const id = useId();
  return (
    <li class={`step card${isDone ? " done" : ""}`} aria-labelledby={id}>
      <span class="step-mark">
        {isDone && <CheckIcon />}
        <span class="unseen">{isDone ? "Done" : "To do"}</span>
      </span>
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </li>
  );
}
