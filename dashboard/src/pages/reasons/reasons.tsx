import type { JSX } from "preact";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { ReasonsDrawer } from "../../reasons/host.tsx";

const Content = lazy(() => import("./content.tsx"), <Skeleton lines={8} />);

/** The content of the drawer. `of` is a text that `reasonsOf` made. */
const Reasons = ({ of }: { readonly of: string }): JSX.Element => (
  <ReasonsDrawer of={of}>
    <Content of={of} />
  </ReasonsDrawer>
);
export default Reasons;
