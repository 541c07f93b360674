import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../../../components/notice.tsx";
import { nameInText } from "../../../named-by-code.ts";
import type { Decided } from "./decide.ts";

const done = { approve: "approved", decline: "declined" } as const;

/** The outcomes of decisions. Takes focus, since the buttons that had it are gone. */
export function Outcomes({ decided }: { readonly decided: Decided }): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.focus(), [decided]);
  const { verb, outcomes } = decided;
  const refused = outcomes.filter(({ refusal }) => refusal !== undefined);
  const count = outcomes.length - refused.length;
  const [only] = outcomes;
  const isOne = outcomes.length === 1 && refused.length === 0;
  return (
    <div ref={container} tabIndex={-1} class="application-outcomes">
      <Notice look={refused.length === 0 ? "good" : "warn"}>
        {isOne ? nameInText(only?.name ?? "") : count} {isOne ? `was ${done[verb]}` : done[verb]}
        {refused.length > 0 && `, ${refused.length} failed`}.
        {refused.length > 0 && (
          <ul>
            {refused.map(({ name, refusal }, i) => (
              <li key={i}>
                <strong>{nameInText(name)}</strong>: {refusal}
              </li>
            ))}
          </ul>
        )}
      </Notice>
    </div>
  );
}
