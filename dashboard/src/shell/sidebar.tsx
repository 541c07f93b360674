import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { mayActAs } from "#domain/role.ts";
import { isSampleProgram } from "#domain/sample-program.ts";
import { useSignal } from "../api/signal.ts";
import { Badge } from "../components/badge.tsx";
import { ChevronIcon, PlusIcon, UserIcon } from "../components/icons.tsx";
import { Menu } from "../components/menu.tsx";
import { ThemeChoice } from "../components/theme-choice.tsx";
import { livePrograms } from "../live-programs.ts";
import { allPages, type NavigationPage, pages } from "../pages.ts";
import { roleTitles } from "../role-titles.ts";
import { type Session, useProgram, usePrograms, useSignOut, useWorkspaces, type Workspace } from "../session.tsx";
import { addressWith, periodFilters, programAddress } from "../url.ts";
import { Mark } from "./brand.tsx";
import { SearchField } from "./search-field.tsx";
import { toDo, useReadToDo, waitingAt } from "./to-do.ts";

/** Pages that share the filters for period and currency. Links between these pages keep the filters. */
const pagesOfPeriod: readonly string[] = ["overview", "partners", "explore"];

export function Sidebar({ session }: { readonly session: Session }): JSX.Element {
  const { program, role } = useProgram();
  const { path, query } = useLocation();
  const isLive = useSignal(livePrograms).get(program.id);
  useReadToDo();
  const waiting = useSignal(toDo);
  const items = waiting?.programId === program.id ? waiting.items : [];
  const isAt = (name: string) => `${path}/`.startsWith(`${programAddress(program.id, name)}/`);
  const within = allPages.find((page) => isAt(page.path))?.within;
  const kept = pagesOfPeriod.some(isAt) ? periodFilters(query) : {};
  return (
    <header class="sidebar">
      <Switcher />
      <SearchField />
      <nav aria-label="Program">
        <ul>
          {pages
            .filter(
              (page: NavigationPage) =>
                mayActAs(role, page.role ?? "viewer") &&
                (page.isUntilLive !== true || isLive === false || isAt(page.path)),
            )
            .map(({ path: name, title, icon: Icon }) => {
              const count = waitingAt(name, items, program);
              const href = addressWith(programAddress(program.id, name), pagesOfPeriod.includes(name) ? kept : {});
              return (
                <li key={name}>
                  <a href={href} aria-current={isAt(name) ? "page" : name === within ? "true" : undefined}>
                    <Icon /> {title}
                    {count !== undefined && (
                      <span class="nav-count figures">
                        {count}
                        <span class="unseen"> waiting</span>
                      </span>
                    )}
                  </a>
                </li>
              );
            })}
        </ul>
      </nav>
      <Account session={session} />
    </header>
  );
}

function Switcher(): JSX.Element {
  const { program, workspace } = useProgram();
  return (
    <div class="switcher">
      <Menu
        label="Switch program"
        button={
          <>
            <Mark />
            <span class="switcher-names">
              <strong>{program.name}</strong>
              <small>{workspace.name}</small>
            </span>
            <ChevronIcon />
          </>
        }
      >
        <Workspaces />
      </Menu>
    </div>
  );
}

function Workspaces(): JSX.Element {
  const { data: workspaces } = useWorkspaces();
  return (
    <>
      {workspaces?.own.map((each) => (
        <ProgramsOf key={each.id} workspace={each} />
      ))}
      {workspaces?.mayCreate && (
        <a class="menu-item" href="/app/workspaces/new">
          <PlusIcon /> New workspace
        </a>
      )}
    </>
  );
}

function ProgramsOf({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { program: current } = useProgram();
  const { data: programs = [] } = usePrograms(workspace.id);
  const [withArchived, setWithArchived] = useState(false);
  const isArchived = ({ status }: { readonly status: string }) => status === "archived";
  return (
    <div class="menu-group">
      <h3>{workspace.name}</h3>
      {programs
        .filter((program) => withArchived || program.id === current.id || !isArchived(program))
        .map((program) => (
          <a
            key={program.id}
            class="menu-item"
            href={programAddress(program.id, pages[0].path)}
            aria-current={program.id === current.id ? "true" : undefined}
          >
            {program.name} {isSampleProgram(program) && <Badge>Sample</Badge>}{" "}
            {isArchived(program) && <Badge>Archived</Badge>}
          </a>
        ))}
      {programs.some((program) => program.id !== current.id && isArchived(program)) && (
        <button
          type="button"
          class="menu-item"
          aria-expanded={withArchived}
          onClick={() => setWithArchived(!withArchived)}
        >
          <ChevronIcon /> {withArchived ? "Hide archived" : "Show archived"}
        </button>
      )}
      {workspace.role !== "viewer" && (
        <a class="menu-item" href={`/app/workspaces/${workspace.id}/programs/new`}>
          <PlusIcon /> New program
        </a>
      )}
    </div>
  );
}

function Account({ session: { user } }: { readonly session: Session }): JSX.Element {
  const { role } = useProgram();
  const signOut = useSignOut();
  return (
    <div class="account">
      <Menu
        label="Account"
        opensUp
        button={
          <>
            <UserIcon />
            <span class="account-name">{user.name}</span>
            <ChevronIcon />
          </>
        }
      >
        <div class="menu-group">
          <p class="menu-text">
            {user.email}
            <small>{roleTitles[role]}</small>
          </p>
        </div>
        <ThemeChoice />
        <a class="menu-item" href="/app/account">
          Account
        </a>
        <a class="menu-item" href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>
        <button type="button" class="menu-item" onClick={() => signOut.run(undefined)}>
          Sign out
        </button>
      </Menu>
    </div>
  );
}
