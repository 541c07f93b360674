import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApproveDialog } from "./approve-dialog.tsx";
import { type Decidable, type Decide, type Decision, isToConfirm, mayApprove, useDecide } from "./decide.ts";
import { RejectDialog } from "./reject-dialog.tsx";

interface Decisions {
  readonly decide: Decide;
  approve(commissions: readonly Decidable[]): void;
  reject(commissions: readonly Decidable[]): void;
  readonly dialog: JSX.Element | null;
}

/** Decisions with the questions that come before them. Render `dialog`. */
export function useDecisions(onDone: () => void): Decisions {
  const [asked, setAsked] = useState<Pick<Decision, "verb" | "commissions">>();
  const close = () => setAsked(undefined);
  const decide = useDecide(() => {
    close();
    onDone();
  });
  const dialogProps = { commissions: asked?.commissions ?? [], decide, onClose: close };
  return {
    decide,
    approve: (some) => {
      const approval = { verb: "approve", commissions: some.filter(mayApprove) } as const;
      if (isToConfirm(approval.commissions)) setAsked(approval);
      else void decide.run(approval);
    },
    reject: (commissions) => setAsked({ verb: "reject", commissions }),
    dialog:
      asked === undefined ? null : asked.verb === "approve" ? (
        <ApproveDialog {...dialogProps} />
      ) : (
        <RejectDialog {...dialogProps} />
      ),
  };
}
