import { lazy } from "../../components/lazy.tsx";

/** The panel has the explanation's parts, which the list doesn't need. */
export const CommissionPanel = lazy(
  async () => ({ default: (await import("./commission-panel.tsx")).CommissionPanel }),
  null,
);
