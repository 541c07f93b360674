import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { lazy } from "../components/lazy.tsx";
import { lastProgram } from "../last-program.ts";
import { pages } from "../pages.ts";
import { useSignedIn, useWorkspaces } from "../session.tsx";
import { programAddress } from "../url.ts";
import { Unread } from "./failed-page.tsx";
import { PlainSkeleton } from "./plain.tsx";
import { Redirect } from "./redirect.tsx";

const WorkspaceHome = lazy(() => import("../pages/workspace-home.tsx"), <PlainSkeleton />);

/** Redirects to the last program or the only one, or to creating the first. */
export function Home(): JSX.Element {
  const session = useSignedIn();
  return session.data ? <UserHome /> : <PlainSkeleton />;
}

function UserHome(): JSX.Element {
  const found = useWorkspaces();
  // Workspace of an invitation that was just accepted.
  const { workspace: joined } = useLocation().query;
  const workspaces = found.data;
  if (workspaces === undefined) return <Unread {...found} />;
  const first = workspaces.own.find(({ id }) => id === joined) ?? workspaces.own[0];
  const last = lastProgram.get();
  if (last !== undefined) return <Redirect to={programAddress(last, pages[0].path)} />;
  return first === undefined ? <Redirect to="/app/workspaces/new" /> : <WorkspaceHome workspace={first} />;
}
