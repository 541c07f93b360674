import type { FunctionComponent } from "preact";
import type { Role } from "#domain/role.ts";
import {
  CommissionsIcon,
  EventsIcon,
  type Icon,
  OverviewIcon,
  PartnersIcon,
  PayoutsIcon,
  SettingsIcon,
  SetupIcon,
} from "./components/icons.tsx";

export interface Page {
  /** The page's path after `/app/programs/<id>/`. `statementPath` is without the partner's id. */
  readonly path: string;
  readonly title: string;
  /** The lowest role that sees the page. Default: viewer. */
  readonly role?: Role;
  /** The path of the page that the navigation marks as current. Default: the page itself. */
  readonly within?: string;
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

export interface NavigationPage extends Page {
  readonly icon: Icon;
  /** Hides the page from the navigation once the program is live. */
  readonly isUntilLive?: boolean;
}

/** The pages in the order of the navigation. A program opens on the first one. */
export const pages = [
  {
    path: "overview",
    title: "Overview",
    icon: OverviewIcon,
    load: () => import("./pages/overview/overview.tsx"),
  },
  { path: "events", title: "Events", icon: EventsIcon, load: () => import("./pages/events/events.tsx") },
  { path: "partners", title: "Partners", icon: PartnersIcon, load: () => import("./pages/partners/partners.tsx") },
  {
    path: "commissions",
    title: "Commissions",
    icon: CommissionsIcon,
    load: () => import("./pages/commissions/commissions.tsx"),
  },
  { path: "payouts", title: "Payouts", icon: PayoutsIcon, load: () => import("./pages/payouts/payouts.tsx") },
  {
    path: "setup",
    title: "Setup",
    icon: SetupIcon,
    isUntilLive: true,
    load: () => import("./pages/setup/setup.tsx"),
  },
  { path: "settings", title: "Settings", icon: SettingsIcon, load: () => import("./pages/settings/settings.tsx") },
] as const satisfies readonly NavigationPage[];

/** The path of a partner's statement, `/app/programs/<id>/partners/<id>/statement`, without the partner's id. */
export const statementPath = "partners/statement";

const linkedPages: readonly Page[] = [
  { path: "explain", title: "Explanation", load: () => import("./pages/explain/explain.tsx") },
  { path: "explore", title: "Explore", within: "overview", load: () => import("./pages/explore/explore.tsx") },
  { path: "search", title: "Search", load: () => import("./pages/search/search.tsx") },
  { path: "import", title: "Import and export", role: "admin", load: () => import("./pages/import/import.tsx") },
  { path: statementPath, title: "Statement", load: () => import("./pages/statement/statement.tsx") },
];

export const allPages: readonly Page[] = [...pages, ...linkedPages];
