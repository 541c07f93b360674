import type { FunctionComponent, JSX } from "preact";
import { ApproveDialog } from "./approve-dialog.tsx";
import type { Decision, DecisionDialogProps } from "./decide.ts";
import { HoldDialog } from "./hold-dialog.tsx";
import { RejectDialog } from "./reject-dialog.tsx";
import { ReleaseDialog } from "./release-dialog.tsx";

const dialogs: Readonly<Record<Decision["verb"], FunctionComponent<DecisionDialogProps>>> = {
  approve: ApproveDialog,
  reject: RejectDialog,
  hold: HoldDialog,
  release: ReleaseDialog,
};

export default function DecisionDialog(props: DecisionDialogProps): JSX.Element {
  const Asking = dialogs[props.asked.verb];
  return <Asking {...props} />;
}
