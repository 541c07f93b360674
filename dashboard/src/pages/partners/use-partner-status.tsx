import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { type Partner, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";

type Subject = Pick<Partner, "id" | "name" | "status">;

interface PartnerStatus {
  readonly isPending: boolean;
  /** Pauses a partner after a question, or resumes one at once. */
  change(partner: Subject): void;
  readonly dialog: JSX.Element | null;
}

/** Pauses and resumes partners. The caller renders `dialog`. */
export function usePartnerStatus(): PartnerStatus {
  const { program } = useProgram();
  const [pausing, setPausing] = useState<Subject>();
  const set = useAction(
    ({ id, status }: Subject) => {
      const param = { ...paramOf(program), partnerId: String(id) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json: { status } }));
    },
    {
      done: ({ data: { name, status } }) =>
        status === "paused" ? `${nameInText(name)} is paused.` : `${nameInText(name)} is active again.`,
      refreshes: partnerQueryKeys(program.id),
      onDone: () => setPausing(undefined),
      undo: (_, changed) => void set.run({ ...changed, status: changed.status === "paused" ? "active" : "paused" }),
    },
  );
  const close = () => setPausing(undefined);
  return {
    isPending: set.isPending,
    change: (partner) => {
      if (partner.status === "active") setPausing(partner);
      else void set.run({ ...partner, status: "active" });
    },
    dialog:
      pausing === undefined ? null : (
        <Dialog title={`Pause ${nameInText(pausing.name)}?`} onClose={close}>
          <p class="soft">
            Clicks on their link won't be counted, and new sales won't earn commission. Commissions that they've already
            earned stay. Payouts leave the partner out, unless you select them.
          </p>
          <div class="row">
            <Button look="primary" isPending={set.isPending} onClick={() => set.run({ ...pausing, status: "paused" })}>
              Pause partner
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </Dialog>
      ),
  };
}
