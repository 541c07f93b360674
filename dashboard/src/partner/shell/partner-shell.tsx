import type { FunctionComponent, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { ButtonLink } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Failed, Skeleton } from "../../components/states.tsx";
import { type Session, useSignedIn } from "../../session.tsx";
import { usePageFocus } from "../../shell/page-focus.ts";
import { Plain } from "../../shell/plain.tsx";
import { useTitle } from "../../shell/title.ts";
import {
  PartnerContext,
  type PartnerPath,
  partnerAddress,
  usePartner,
  usePartnerPrograms,
  useViewedPartner,
} from "../access.tsx";
import { lastPartner } from "../last-partner.ts";
import { pages } from "../pages.ts";
import { Banners } from "./banners.tsx";
import { Navigation } from "./navigation.tsx";

const PageSkeleton = (): JSX.Element => (
  <main class="page" aria-busy="true">
    <Skeleton lines={1} />
    <div class="card">
      <Skeleton lines={6} />
    </div>
  </main>
);

const Reasons = lazy(() => import("../pages/reasons/reasons.tsx"), null);

const parts = new Map<string, FunctionComponent>(pages.map(({ path, load }) => [path, lazy(load, <PageSkeleton />)]));

export function PartnerShell(): JSX.Element {
  const session = useSignedIn();
  const { programId = "", partnerId = "", page = "" } = useRoute().params;
  const { as } = useLocation().query;
  if (!session.data) return <Frame />;
  const Side = as === "owner" ? OwnersView : OwnSide;
  // The key discards all state of the previous partner.
  return (
    <Side key={`${programId} ${partnerId} ${as}`} session={session.data} path={{ programId, partnerId }} page={page} />
  );
}

interface SideProps {
  readonly session: Session;
  readonly path: PartnerPath;
  readonly page: string;
}

function OwnSide({ session, path, page }: SideProps): JSX.Element {
  const programs = usePartnerPrograms();
  const partner = programs.data?.data.find(
    (each) => String(each.programId) === path.programId && String(each.partnerId) === path.partnerId,
  );
  const isKnown = partner !== undefined;
  useEffect(() => {
    if (isKnown) lastPartner.set(partnerAddress(path));
  }, [isKnown]);
  if (partner !== undefined) {
    return (
      <PartnerContext.Provider value={{ ...path, partner }}>
        <Frame session={session}>
          <CurrentPage page={page} />
        </Frame>
      </PartnerContext.Provider>
    );
  }
  if (programs.data !== undefined) return <NoAccess unavailable={programs.data.meta.unavailable} />;
  const { failure, refetch } = programs;
  return failure === undefined || failure.isOutage ? <Frame /> : <Unreadable failure={failure} onRetry={refetch} />;
}

function OwnersView({ session, path, page }: SideProps): JSX.Element {
  const { data: partner, failure, refetch } = useViewedPartner(path);
  if (partner !== undefined) {
    return (
      <PartnerContext.Provider value={{ ...path, partner }}>
        <Frame session={session}>
          <CurrentPage page={page} />
        </Frame>
      </PartnerContext.Provider>
    );
  }
  return failure === undefined || failure.isOutage ? <Frame /> : <Unreadable failure={failure} onRetry={refetch} />;
}

const Unreadable = (props: Parameters<typeof Failed>[0]): JSX.Element => (
  <Plain title="Partner" foot={<a href="/partner/">Go to your programs</a>}>
    <Failed {...props} />
  </Plain>
);

const NoAccess = ({ unavailable }: { readonly unavailable: number }): JSX.Element => (
  <Plain title={unavailable > 0 ? "This program can't be reached" : "You don't have access"}>
    <p class="soft">
      {unavailable > 0
        ? "Try again in a minute."
        : "This account has no access to this partner, or no longer has it. Ask the program's owner."}
    </p>
    <div class="row">
      <ButtonLink href="/partner/">Go to your programs</ButtonLink>
    </div>
  </Plain>
);

function CurrentPage({ page: path }: { readonly page: string }): JSX.Element {
  const { partner, address } = usePartner();
  const main = usePageFocus(path);
  const { reasons } = useLocation().query;
  const page = pages.find((each) => each.path === path);
  const Part = parts.get(path);
  useTitle(page?.title ?? "Page not found", partner.programName);

  return (
    <main id="main" class="page" tabIndex={-1} ref={main}>
      <Banners />
      {Part === undefined ? (
        <div class="state">
          <h1>Page not found</h1>
          <a href={address("")}>Go to the overview</a>
        </div>
      ) : (
        <>
          <Part />
          {reasons && <Reasons of={reasons} />}
        </>
      )}
    </main>
  );
}

interface FrameProps {
  readonly session?: Session;
  readonly children?: JSX.Element;
}

const Frame = ({ session, children }: FrameProps): JSX.Element => (
  <div class="frame">
    <a class="skip" href="#main">
      Skip to content
    </a>
    {session === undefined ? <div class="sidebar" aria-hidden="true" /> : <Navigation session={session} />}
    {children ?? <PageSkeleton />}
  </div>
);
