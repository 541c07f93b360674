import { lazy } from "../components/lazy.tsx";
import { Skeleton } from "../components/states.tsx";

export const LatePolicyForm = lazy(
  async () => ({ default: (await import("./policy-form.tsx")).PolicyForm }),
  <Skeleton lines={9} />,
);
