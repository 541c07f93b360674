import type { JSX } from "preact";
import { OutcomeList } from "../../components/outcome-list.tsx";
import type { Decide } from "./decide.ts";

const done = { approve: "approved", reject: "rejected", hold: "held for review", release: "released" } as const;

export default function Outcomes({ decide: { result } }: { readonly decide: Decide }): JSX.Element | null {
  if (result === undefined) return null;
  const refused = result.outcomes.flatMap(({ id, commission, refusal }) =>
    refusal === undefined ? [] : [{ name: commission?.transactionId ?? `commission ${id}`, refusal }],
  );
  return (
    <OutcomeList result={result} refused={refused}>
      {result.outcomes.length - refused.length} {done[result.verb]}
      {refused.length > 0 && `, ${refused.length} failed`}.
    </OutcomeList>
  );
}
