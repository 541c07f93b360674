import { lazy } from "../../components/lazy.tsx";

/** The panel is loaded when needed: it has parts of the explanation, which the list doesn't need. */
export const CommissionPanel = lazy(
  async () => ({ default: (await import("./commission-panel.tsx")).CommissionPanel }),
  null,
);
