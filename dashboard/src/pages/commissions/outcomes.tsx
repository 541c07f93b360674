import "./outcomes.css";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../../components/notice.tsx";
import type { Decide } from "./decide.ts";

const done = { approve: "approved", reject: "rejected" } as const;

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
            {refused.map(({ commission, refusal }) => (
              <li key={commission.id}>
                <strong>{commission.transactionId}</strong>: {refusal}
              </li>
            ))}
          </ul>
        )}
      </Notice>
    </div>
  );
}
