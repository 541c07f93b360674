import "./outcomes.css";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../../components/notice.tsx";
import { type Decide, groupedRefusals } from "./decide.ts";

const maxNamed = 3;
const done = { approve: "approved", reject: "rejected", hold: "held for review", release: "released" } as const;

/** Takes focus, since the buttons that had it are gone. */
export function Outcomes({ decide: { result } }: { readonly decide: Decide }): JSX.Element | null {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result !== undefined) container.current?.focus();
  }, [result]);
  if (result === undefined) return null;
  const refused = result.outcomes.filter(({ refusal }) => refusal !== undefined);
  const count = result.outcomes.length - refused.length;
  return (
    <div ref={container} tabIndex={-1} class="outcomes">
      <Notice look={refused.length === 0 ? "good" : "warn"}>
        {count} {done[result.verb]}
        {refused.length > 0 && `, ${refused.length} failed`}.
        {refused.length > 0 && (
          <ul class="outcomes">
            {groupedRefusals(refused).map(([refusal, names]) => (
              <li key={refusal}>
                <strong>{names.length > maxNamed ? `${names.length} of them` : names.join(", ")}</strong>: {refusal}
              </li>
            ))}
          </ul>
        )}
      </Notice>
    </div>
  );
}
