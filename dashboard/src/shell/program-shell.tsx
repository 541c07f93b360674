import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { mayActAs } from "#domain/role.ts";
import { useSignal } from "../api/signal.ts";
import { lazy } from "../components/lazy.tsx";
import { Skeleton } from "../components/states.tsx";
import { lastProgram } from "../last-program.ts";
import { linkToken } from "../link-token.ts";
import { oneTimeKey } from "../one-time-key.ts";
import { allPages, type Page, pages } from "../pages.ts";
import {
  ProgramContext,
  type Session,
  useProgram,
  useProgramSettings,
  useSignedIn,
  useWorkspaces,
} from "../session.tsx";
import { programAddress } from "../url.ts";
import { FailedPage } from "./failed-page.tsx";
import { KeysHelp } from "./keys-help.tsx";
import { usePageFocus } from "./page-focus.ts";
import { PlainSkeleton } from "./plain.tsx";
import { SampleBanner } from "./sample-banner.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useTitle } from "./title.ts";

const PageSkeleton = (): JSX.Element => (
  <div class="page" aria-busy="true">
    <Skeleton lines={1} />
    <div class="card">
      <Skeleton lines={6} />
    </div>
  </div>
);

const StatusBanner = lazy(() => import("../pages/status-banner.tsx"), null);

/** The reasons for an amount, in a drawer over the page. */
const Reasons = lazy(() => import("../pages/reasons/reasons.tsx"), null);

/** A change that a key proposes, on the page where a member makes it. */
const Proposed = lazy(() => import("../pages/proposal/proposed.tsx"), null);

const SaveKey = lazy(() => import("../pages/save-key.tsx"), <PlainSkeleton />);

const parts = new Map<string, FunctionComponent>(
  allPages.map(({ path, load }) => [path, lazy(load, <PageSkeleton />)]),
);

export function ProgramShell(): JSX.Element {
  const session = useSignedIn();
  const { programId = "", page = pages[0].path, part } = useRoute().params;
  if (!session.data) return <Frame />;
  // The key discards all state of the previous program.
  const path = part === undefined ? page : `${page}/${part}`;
  return <ProgramPages key={programId} session={session.data} programId={programId} path={path} />;
}

interface ProgramPagesProps {
  readonly session: Session;
  readonly programId: string;
  readonly path: string;
}

function ProgramPages({ session, programId, path }: ProgramPagesProps): JSX.Element {
  const settings = useProgramSettings(programId);
  const workspaces = useWorkspaces();
  const newKey = useSignal(oneTimeKey);
  const program = settings.data;
  const workspace = workspaces.data?.own.find(({ id }) => id === program?.workspaceId);
  const failure = [settings.failure, workspaces.failure].find((each) => each !== undefined && !each.isOutage);

  useEffect(() => {
    if (program === undefined) return;
    if (program.status === "archived") lastProgram.forget(program.id);
    else lastProgram.set(program.id);
  }, [program?.id, program?.status]);

  if (program !== undefined && newKey?.programId === program.id) return <SaveKey of={newKey} />;
  if (program !== undefined && workspace !== undefined) {
    return (
      <ProgramContext.Provider value={{ program, workspace, userId: session.user.id }}>
        <Frame session={session}>
          <CurrentPage path={path} />
        </Frame>
      </ProgramContext.Provider>
    );
  }
  if (failure === undefined) return <Frame />;
  return <FailedPage failure={failure} onRetry={settings.refetch} />;
}

function CurrentPage({ path }: { readonly path: string }): JSX.Element {
  const { program, role } = useProgram();
  const main = usePageFocus(path);
  const { reasons } = useLocation().query;
  const [proposal] = useState(() => linkToken("proposal"));
  const page: Page | undefined = allPages.find((each) => each.path === path);
  const Part = parts.get(path);
  useTitle(page?.title ?? "Page not found", program.name);

  return (
    <main id="main" class="page" tabIndex={-1} ref={main}>
      <PrintLine title={page?.title ?? ""} />
      {program.status !== "active" && <StatusBanner />}
      <SampleBanner />
      {proposal && <Proposed token={proposal} />}
      {page === undefined || Part === undefined ? (
        <div class="state">
          <h1>Page not found</h1>
          <a href={programAddress(program.id, pages[0].path)}>Go to {pages[0].title}</a>
        </div>
      ) : mayActAs(role, page.role ?? "viewer") ? (
        <>
          <Part />
          {reasons && <Reasons of={reasons} />}
        </>
      ) : (
        <div class="state">
          <h1>{page.title}</h1>
          <p class="soft">This page requires the {page.role} role. Ask an owner of the workspace.</p>
        </div>
      )}
    </main>
  );
}

/** A line with program and title that replaces the navigation on a printed page. */
function PrintLine({ title }: { readonly title: string }): JSX.Element {
  const { program } = useProgram();
  return <p class="print-only">{[program.name, title, program.timezone].filter(Boolean).join(" · ")}</p>;
}

/** The sidebar before it is loaded, with the same elements as in index.html. */
const SidebarSkeleton = (): JSX.Element => (
  <div class="sidebar" aria-hidden="true">
    <Skeleton lines={7} />
  </div>
);

interface FrameProps {
  readonly session?: Session;
  readonly children?: JSX.Element;
}

const Frame = ({ session, children }: FrameProps): JSX.Element => (
  <div class="frame">
    <a class="skip" href="#main">
      Skip to content
    </a>
    {session === undefined ? <SidebarSkeleton /> : <Sidebar session={session} />}
    {children ?? <PageSkeleton />}
    <KeysHelp />
  </div>
);
