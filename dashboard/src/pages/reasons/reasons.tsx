import type { JSX } from "preact";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { moneyLabels, sumLabels } from "../../outcome-labels.ts";
import { ReasonsDrawer } from "../../reasons/host.tsx";

const Content = lazy(() => import("./content.tsx"), <Skeleton lines={8} />);

const amounts: Readonly<Record<string, string>> = {
  ...moneyLabels,
  paidThisYear: "Paid this year",
  revenue: "Revenue",
  commission: "Commission",
};
const statusNames: Readonly<Record<string, string>> = sumLabels;

const titles: Readonly<Record<string, string>> = {
  line: "Line of a payout",
  sum: "Sum of a statement",
  entry: "Line of a statement",
};

/** `of` as `reasonsOf` makes it. */
export default function Reasons({ of }: { readonly of: string }): JSX.Element {
  const [kind = "", name = ""] = of.split(".");
  const amount = kind === "status" ? statusNames[name] : amounts[name];
  return (
    <ReasonsDrawer of={of} title={titles[kind] ?? amount ?? "Not found"}>
      <Content of={of} />
    </ReasonsDrawer>
  );
}
