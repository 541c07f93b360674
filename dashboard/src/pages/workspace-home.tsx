import type { JSX } from "preact";
import { ButtonLink } from "../components/button.tsx";
import { pages } from "../pages.ts";
import { usePrograms, type Workspace } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { Redirect } from "../shell/redirect.tsx";
import { programAddress } from "../url.ts";

/** Lists the workspace's programs, or redirects to the only one. */
export default function WorkspaceHome({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { data: programs } = usePrograms(workspace.id);
  if (programs === undefined) return <PlainSkeleton />;
  const live = programs.filter(({ status }) => status !== "archived");
  const [program] = live;
  if (program !== undefined && live.length === 1) return <Redirect to={programAddress(program.id, pages[0].path)} />;
  const create = `/app/workspaces/${workspace.id}/programs/new`;
  if (programs.length > 0) {
    return (
      <Plain
        title={workspace.name}
        lead={live.length === 0 ? "All programs of this workspace are archived." : "Choose a program."}
      >
        <ul class="stack">
          {(live.length === 0 ? programs : live).map(({ id, name }) => (
            <li key={id}>
              <a href={programAddress(id, pages[0].path)}>{name}</a>
            </li>
          ))}
        </ul>
        {live.length === 0 && workspace.role !== "viewer" && (
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
