import type { JSX } from "preact";
import { OutcomeList } from "../../components/outcome-list.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";
import type { Decide } from "./decide.ts";

const done = { approve: "approved", reject: "rejected", hold: "held for review", release: "released" } as const;

export default function Outcomes({ decide: { result } }: { readonly decide: Decide }): JSX.Element | null {
  const { program } = useProgram();
  if (result === undefined) return null;
  const refused = result.outcomes.flatMap(({ id, commission, refusal }) =>
    refusal === undefined ? [] : [{ name: commission?.transactionId ?? `commission ${id}`, refusal }],
  );
  const count = result.outcomes.length - refused.length;
  return (
    <OutcomeList result={result} refused={refused}>
      {count} {done[result.verb]}
      {refused.length > 0 && `, ${refused.length} failed`}.
      {result.verb === "approve" && count > 0 && (
        <>
          {" "}
          <a href={programAddress(program.id, "payouts")}>Go to payouts</a>
        </>
      )}
    </OutcomeList>
  );
}
