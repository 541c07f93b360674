import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "../../components/lazy.tsx";
import {
  type Decidable,
  type Decide,
  type Decision,
  type Matching,
  mayApprove,
  mayHold,
  mayRelease,
  type Outcome,
  useDecide,
} from "./decide.ts";

const DecisionDialog = lazy(() => import("./decision-dialog.tsx"), null);

interface Decisions {
  readonly decide: Decide;
  approve(commissions: readonly Decidable[], matching?: Matching): void;
  reject(commissions: readonly Decidable[], matching?: Matching): void;
  hold(commissions: readonly Decidable[]): void;
  release(commissions: readonly Decidable[]): void;
  readonly dialog: JSX.Element | null;
}

/** Decides commissions, after a dialog has asked for confirmation or a note. The caller renders `dialog`. */
export function useDecisions(onDone: (outcomes: readonly Outcome[]) => void): Decisions {
  const [asked, setAsked] = useState<Decision>();
  const close = () => setAsked(undefined);
  const decide = useDecide((outcomes) => {
    close();
    onDone(outcomes);
  });
  return {
    decide,
    // An approval or a rejection has no Undo: rejecting an approved commission is a separate decision.
    approve: (some, matching) => setAsked({ verb: "approve", commissions: some.filter(mayApprove), matching }),
    reject: (commissions, matching) => setAsked({ verb: "reject", commissions, matching }),
    hold: (some) => setAsked({ verb: "hold", commissions: some.filter(mayHold) }),
    release: (some) => setAsked({ verb: "release", commissions: some.filter(mayRelease) }),
    dialog: asked ? <DecisionDialog asked={asked} decide={decide} onClose={close} /> : null,
  };
}
