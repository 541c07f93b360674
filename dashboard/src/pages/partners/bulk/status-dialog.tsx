import type { JSX } from "preact";
import { useMany } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";
import { setStatus } from "./verbs.ts";

interface StatusDialogProps extends VerbProps {
  readonly to: "active" | "paused";
}

export function StatusDialog({ partners, to, onDone, onClose }: StatusDialogProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany();
  const [verb, from] = to === "paused" ? ["Pause", "active"] : ["Resume", "paused"];
  const those = partners.filter(({ status }) => status === from);
  const what = `${verb} ${pluralize(those.length, "partner")}`;
  return (
    <Dialog title={`${what}?`} onClose={onClose}>
      <p class="soft">
        {to === "paused"
          ? "Clicks on their links won't be counted, and new sales won't earn commission. Commissions that they've already earned stay. Payouts leave these partners out, unless you select them."
          : "Clicks on their links count again, and new sales earn commission. Clicks made while they were paused aren't counted."}
      </p>
      <Running many={many} label={to === "paused" ? "Paused" : "Resumed"} />
      <div class="row">
        <Button
          look="primary"
          isPending={many.progress !== undefined}
          onClick={() => void setStatus(many, program, those, to).then(onDone)}
        >
          {what}
        </Button>
        {many.progress === undefined && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </Dialog>
  );
}
