import type { JSX } from "preact";
import { Dialog } from "../components/dialog.tsx";

const keys = [
  ["/", "Search"],
  ["↑ ↓", "Move between the rows of a table, from a control in a row"],
  ["Enter", "Open the row's link, or press its button"],
  ["← →", "Read the chart by day"],
  ["A R H", "Approve, reject or hold what is selected; release or reject a commission held for review"],
  ["A D", "Approve or decline the selected applications"],
  ["I D C G P R", "Invite the selected partners, ask for payment details, create coupons, move, pause or resume them"],
  ["Esc", "Close a dialog or menu"],
  ["?", "Show this list"],
] as const;

const KeysList = ({ onClose }: { readonly onClose: () => void }): JSX.Element => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl class="facts">
      {keys.map(([key, does]) => (
        <>
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </>
      ))}
    </dl>
  </Dialog>
);
export default KeysList;
