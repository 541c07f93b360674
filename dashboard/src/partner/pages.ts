import type { FunctionComponent } from "preact";
import { type Icon, OverviewIcon } from "../components/icons.tsx";

interface Page {
  /** The first one has none. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

/** In the order of the navigation. */
export const pages: readonly Page[] = [
  { path: "", title: "Overview", icon: OverviewIcon, load: () => import("./pages/overview.tsx") },
];
