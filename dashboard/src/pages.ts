import type { FunctionComponent } from "preact";
import type { Role } from "../../src/domain/role.ts";
import { EventsIcon, type Icon, OverviewIcon, SetupIcon } from "./components/icons.tsx";

/** A page of a program. */
export interface Page {
  /** Of its address: `/app/programs/<id>/<path>`. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  /** The least role that it is for. Default: viewer. */
  readonly role?: Role;
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

/** All of them, in the order of the navigation. The first is where a program opens. */
export const pages = [
  {
    path: "overview",
    title: "Overview",
    icon: OverviewIcon,
    load: () => import("./pages/overview/overview.tsx"),
  },
  { path: "events", title: "Events", icon: EventsIcon, load: () => import("./pages/events/events.tsx") },
  { path: "setup", title: "Setup", icon: SetupIcon, load: () => import("./pages/setup/setup.tsx") },
] as const satisfies readonly Page[];
