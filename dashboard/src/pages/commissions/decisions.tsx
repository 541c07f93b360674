import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApproveDialog } from "./approve-dialog.tsx";
import {
  type Decidable,
  type Decide,
  type Decision,
  type Matching,
  mayApprove,
  type Outcome,
  useDecide,
} from "./decide.ts";
import { RejectDialog } from "./reject-dialog.tsx";

interface Decisions {
  readonly decide: Decide;
  approve(commissions: readonly Decidable[], matching?: Matching): void;
  reject(commissions: readonly Decidable[], matching?: Matching): void;
  readonly dialog: JSX.Element | null;
}

/** Decisions with the questions that come before them. Render `dialog`. */
export function useDecisions(onDone: (outcomes: readonly Outcome[]) => void): Decisions {
  const [asked, setAsked] = useState<Decision>();
  const close = () => setAsked(undefined);
  const decide = useDecide((outcomes) => {
    close();
    onDone(outcomes);
  });
  return {
    decide,
    // Neither can be taken back: a rejection of what is approved is another decision.
    approve: (some, matching) => setAsked({ verb: "approve", commissions: some.filter(mayApprove), matching }),
    reject: (commissions, matching) => setAsked({ verb: "reject", commissions, matching }),
    dialog:
      asked === undefined ? null : asked.verb === "approve" ? (
        <ApproveDialog asked={asked} decide={decide} onClose={close} />
      ) : (
        <RejectDialog asked={asked} decide={decide} onClose={close} />
      ),
  };
}
