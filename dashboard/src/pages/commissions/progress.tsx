import type { JSX } from "preact";
import { Count } from "../../components/numbers.tsx";
import type { Decide } from "./decide.ts";

/** Progress of a decision that takes several calls. */
export function DecisionProgress({ decide: { progress } }: { readonly decide: Decide }): JSX.Element | null {
  if (progress === undefined || progress.total <= 500) return null;
  const { done, total, isWaiting } = progress;
  return (
    <p role="status" class="decision-progress">
      <progress value={done} max={total} aria-label="Decided" />
      <span class="soft">
        <Count of={done} /> of <Count of={total} />
        {isWaiting && ". Waiting for the rate limit…"}
      </span>
    </p>
  );
}
