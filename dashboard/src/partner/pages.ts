import type { FunctionComponent } from "preact";
import { CommissionsIcon, type Icon, LinkIcon, OverviewIcon, PayoutsIcon, UserIcon } from "../components/icons.tsx";

interface Page {
  /** The path below the partner's address. Empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

/** The pages in the order of the navigation. */
export const pages: readonly Page[] = [
  { path: "", title: "Overview", icon: OverviewIcon, load: () => import("./pages/overview.tsx") },
  { path: "links", title: "Links", icon: LinkIcon, load: () => import("./pages/links.tsx") },
  { path: "commissions", title: "Commissions", icon: CommissionsIcon, load: () => import("./pages/commissions.tsx") },
  { path: "payouts", title: "Payouts", icon: PayoutsIcon, load: () => import("./pages/payouts.tsx") },
  { path: "profile", title: "Profile", icon: UserIcon, load: () => import("./pages/profile.tsx") },
];
