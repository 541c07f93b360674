import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { ButtonLink } from "../components/button.tsx";
import { lastProgram } from "../last-program.ts";
import { pages } from "../pages.ts";
import { usePrograms, useSignedIn, useWorkspaces, type Workspace } from "../session.tsx";
import { programAddress } from "../url.ts";
import { MissingWorkspaces } from "./missing-workspaces.tsx";
import { Plain, PlainSkeleton } from "./plain.tsx";

/** Redirects to the last program, or to creating the first. */
export function Home(): JSX.Element {
  const session = useSignedIn();
  return session.data ? <UserHome /> : <PlainSkeleton />;
}

function UserHome(): JSX.Element {
  const found = useWorkspaces();
  const workspaces = found.data;
  if (workspaces === undefined) return <MissingWorkspaces {...found} />;
  const [first] = workspaces.own;
  const last = lastProgram.get();
  if (last !== undefined) return <Redirect to={programAddress(last, pages[0].path)} />;
  return first === undefined ? <Redirect to="/app/workspaces/new" /> : <WorkspaceHome workspace={first} />;
}

function WorkspaceHome({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { data: programs } = usePrograms(workspace.id);
  if (programs === undefined) return <PlainSkeleton />;
  const archived = programs.filter(({ status }) => status === "archived");
  const program = programs.find(({ status }) => status !== "archived");
  if (program !== undefined) return <Redirect to={programAddress(program.id, pages[0].path)} />;
  const create = `/app/workspaces/${workspace.id}/programs/new`;
  if (archived.length > 0) {
    return (
      <Plain title={workspace.name} lead="All programs of this workspace are archived.">
        <ul class="stack">
          {archived.map(({ id, name }) => (
            <li key={id}>
              <a href={programAddress(id, pages[0].path)}>{name}</a>
            </li>
          ))}
        </ul>
        {workspace.role !== "viewer" && (
          <div class="row">
            <ButtonLink look="primary" href={create}>
              Create program
            </ButtonLink>
          </div>
        )}
      </Plain>
    );
  }
  if (workspace.role !== "viewer") return <Redirect to={create} />;
  return (
    <Plain title={workspace.name}>
      <p class="soft">There's no program here yet. Ask an owner or admin of the workspace to create one.</p>
    </Plain>
  );
}

function Redirect({ to }: { readonly to: string }): JSX.Element {
  const { route } = useLocation();
  useEffect(() => route(to, true), []);
  return <PlainSkeleton />;
}
