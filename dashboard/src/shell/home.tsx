import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Failed } from "../components/states.tsx";
import { lastProgram } from "../last-program.ts";
import { pages } from "../pages.ts";
import { usePrograms, useSignedIn, useWorkspaces, type Workspace } from "../session.tsx";
import { programAddress } from "../url.ts";
import { Plain, PlainSkeleton } from "./plain.tsx";

/** Leads on to where one left off: the last program, or making the first. */
export function Home(): JSX.Element {
  const session = useSignedIn();
  return session.data ? <OfUser /> : <PlainSkeleton />;
}

function OfUser(): JSX.Element {
  const { data: workspaces, failure, refetch } = useWorkspaces();
  if (workspaces === undefined) {
    if (failure === undefined || failure.isOutage) return <PlainSkeleton />;
    return (
      <Plain title="Your workspaces">
        <Failed failure={failure} onRetry={refetch} />
      </Plain>
    );
  }
  const [first] = workspaces;
  const last = lastProgram.get();
  if (last !== undefined) return <Onward to={programAddress(last, pages[0].path)} />;
  return first === undefined ? <Onward to="/app/workspaces/new" /> : <OfWorkspace workspace={first} />;
}

function OfWorkspace({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { data: programs } = usePrograms(workspace.id);
  if (programs === undefined) return <PlainSkeleton />;
  const [program] = programs;
  if (program !== undefined) return <Onward to={programAddress(program.id, pages[0].path)} />;
  if (workspace.role !== "viewer") return <Onward to={`/app/workspaces/${workspace.id}/programs/new`} />;
  return (
    <Plain title={workspace.name}>
      <p class="soft">There is no program here yet. An owner or an admin of the workspace makes the first.</p>
    </Plain>
  );
}

function Onward({ to }: { readonly to: string }): JSX.Element {
  const { route } = useLocation();
  useEffect(() => route(to, true), []);
  return <PlainSkeleton />;
}
