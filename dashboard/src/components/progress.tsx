import "./progress.css";
import type { ComponentChildren, JSX } from "preact";
import { Count } from "./numbers.tsx";

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly isWaiting: boolean;
}

interface ProgressLineProps {
  readonly progress: Progress;
  readonly label: string;
  readonly children?: ComponentChildren;
}

/** Progress of a change that takes several calls. */
export const ProgressLine = ({
  progress: { done, total, isWaiting },
  label,
  children,
}: ProgressLineProps): JSX.Element => (
  <p role="status" class="progress">
    <progress value={done} max={total} aria-label={label} />
    <span class="soft">
      <Count of={done} /> of <Count of={total} />
      {isWaiting && ". Waiting for the rate limit…"}
    </span>
    {children}
  </p>
);
