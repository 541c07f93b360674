import "./join.css";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { sessionEnded } from "../../../api/client.ts";
import { useSignal } from "../../../api/signal.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Failed, Loaded, Skeleton } from "../../../components/states.tsx";
import { UnverifiedAddress, useMustVerify } from "../../../forms/unverified-address.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { type Session, useSession } from "../../../session.tsx";
import { Brand } from "../../../shell/brand.tsx";
import { Plain, PlainSkeleton } from "../../../shell/plain.tsx";
import { useTitle } from "../../../shell/title.ts";
import { addressWith } from "../../../url.ts";
import { joinAddress } from "../../join-link.ts";
import { rememberJoinPage } from "../../join-return.ts";
import { Apply } from "./apply.tsx";
import { Outcome } from "./outcome.tsx";
import { Presentation } from "./presentation.tsx";
import { type JoinPage, type OwnApplication, useJoinPage, useOwnApplication } from "./queries.ts";

export default function Join(): JSX.Element {
  const { slug = "" } = useRoute().params;
  const shown = useJoinPage(slug);
  const { data: session } = useSession();
  const isEnded = useSignal(sessionEnded);
  const { failure } = shown;
  if (failure?.status === 404) return <NoPage />;
  if (failure !== undefined && !failure.isOutage) {
    return (
      <Plain title="Join page">
        <Failed failure={failure} onRetry={shown.refetch} isPending={shown.isLoading} />
      </Plain>
    );
  }
  if (shown.data === undefined || session === undefined) return <PlainSkeleton />;
  return <OfProgram key={slug} slug={slug} page={shown.data} session={isEnded ? null : session} />;
}

const NoPage = (): JSX.Element => (
  <Plain title="No program takes applications here">
    <p class="soft">
      The program has closed this page, or the address was mistyped. Ask the program for its current link.
    </p>
    <div class="row">
      <ButtonLink href="/partner/">Go to your programs</ButtonLink>
    </div>
  </Plain>
);

interface OfProgramProps {
  readonly slug: string;
  readonly page: JoinPage;
  readonly session: Session | null;
}

function OfProgram({ slug, page, session }: OfProgramProps): JSX.Element {
  useTitle("Become a partner", page.name);
  return (
    <div class="solo join">
      <header>
        <Brand />
      </header>
      <main tabIndex={-1}>
        <Presentation slug={slug} page={page} isSignedOut={session === null} />
        {session === null ? (
          <AskSignIn slug={slug} page={page} />
        ) : (
          <SignedIn slug={slug} page={page} session={session} />
        )}
        {session !== null && (
          <p class="soft foot breakable">
            Signed in as <bdi>{session.user.name}</bdi> ({session.user.email}).
          </p>
        )}
      </main>
    </div>
  );
}

function AskSignIn({ slug, page }: Omit<OfProgramProps, "session">): JSX.Element {
  const back = { return: joinAddress(slug) };
  return (
    <section class="card" aria-labelledby="join-apply">
      <div>
        <h2 id="join-apply">Apply</h2>
        <p class="soft">
          {page.isOpen && "Most applications are approved at once. "}You need an account, in which you'll see your links
          and earnings.
        </p>
      </div>
      {page.questions.length > 0 && (
        <div>
          <p>{nameInText(page.name)} will ask you:</p>
          <ul class="join-questions">
            {page.questions.map(({ id, label }) => (
              <li key={id}>{label}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="row">
        <ButtonLink href={addressWith("/partner/sign-up", back)} look="primary">
          Create an account
        </ButtonLink>
        <ButtonLink href={addressWith("/partner/sign-in", back)}>Sign in</ButtonLink>
      </div>
    </section>
  );
}

const loading = (
  <div class="card">
    <Skeleton lines={6} />
  </div>
);

function SignedIn({ slug, page, session }: OfProgramProps & { readonly session: Session }): JSX.Element {
  const application = useOwnApplication(slug);
  const mustVerify = useMustVerify(session.user);
  return (
    <Loaded query={application} skeleton={loading}>
      {(found) => {
        if (found !== null && !mayApplyAgain(found)) return <Outcome programName={page.name} application={found} />;
        if (mustVerify === undefined) return loading;
        return mustVerify ? (
          <VerifyFirst session={session} />
        ) : (
          <Apply slug={slug} page={page} userName={session.user.name} />
        );
      }}
    </Loaded>
  );
}

function VerifyFirst({ session }: { readonly session: Session }): JSX.Element {
  useEffect(rememberJoinPage, []);
  return (
    <section class="card" aria-labelledby="join-apply">
      <h2 id="join-apply">Verify your email address to apply</h2>
      <UnverifiedAddress user={session.user} andThen="come back to this page" />
    </section>
  );
}

const mayApplyAgain = ({ canApplyAgainAt }: OwnApplication): boolean =>
  canApplyAgainAt !== null && Date.parse(canApplyAgainAt) <= Date.now();
