import type { JSX } from "preact";
import { lazy } from "../../../components/lazy.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { ReasonsDrawer } from "../../../reasons/host.tsx";

const Content = lazy(() => import("./content.tsx"), <Skeleton lines={8} />);

const titles: Readonly<Record<string, string>> = {
  balance: "Balance",
  month: "Earned this month",
  payment: "Payment",
  sum: "Sum of the statement",
  entry: "Line of the statement",
};

/** `of` as `reasonsOf` makes it. */
export default function Reasons({ of }: { readonly of: string }): JSX.Element {
  const [kind = ""] = of.split(".");
  return (
    <ReasonsDrawer of={of} title={titles[kind] ?? "Not found"}>
      <Content of={of} />
    </ReasonsDrawer>
  );
}
