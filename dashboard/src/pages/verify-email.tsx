import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { ButtonLink } from "../components/button.tsx";
import { Failed } from "../components/states.tsx";
import { UnverifiedAddress } from "../forms/unverified-address.tsx";
import { forgetLinkToken, linkToken } from "../link-token.ts";
import { takeJoinPage } from "../partner/join-return.ts";
import { useSession } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { addressWith, base } from "../url.ts";

const toPrograms = (
  <div class="row">
    <ButtonLink href={base}>Go to your programs</ButtonLink>
  </div>
);

export default function VerifyEmail(): JSX.Element {
  const token = linkToken("verify-email");
  return token === undefined ? <Unusable /> : <OfToken token={token} />;
}

function OfToken({ token }: { readonly token: string }): JSX.Element {
  const verify = useAction(() => take(api.auth["verify-email"].$post({ json: { token } })), {
    failsIn: "form",
    refreshes: ["session"],
  });
  useEffect(() => {
    void verify.run(undefined);
  }, [token]);
  const { failure } = verify;
  if (failure?.code === "verification_invalid") return <Unusable />;
  if (failure?.code === "no_session") return <SignedOut />;
  if (failure !== undefined) {
    return (
      <Plain title="Verify your email address">
        <Failed failure={failure} onRetry={() => verify.run(undefined)} isPending={verify.isPending} />
      </Plain>
    );
  }
  if (verify.result === undefined) return <PlainSkeleton />;
  return <Verified />;
}

function Verified(): JSX.Element {
  const [joinPage] = useState(base === "/partner/" ? takeJoinPage : undefined);
  if (joinPage !== undefined) {
    return (
      <Plain title="Your email address is verified">
        <div class="row">
          <ButtonLink href={joinPage} look="primary">
            Continue your application
          </ButtonLink>
        </div>
      </Plain>
    );
  }
  return (
    <Plain title="Your email address is verified">
      <p class="soft">You can close this tab and go back to the page that you came from.</p>
      {toPrograms}
    </Plain>
  );
}

const toSignIn = addressWith(`${base}sign-in`, { return: `${base}verify-email` });

const SignedOut = (): JSX.Element => (
  <Plain title="Sign in to verify your email address" lead="If you didn't create an account here, ignore the email.">
    <div class="row">
      <ButtonLink href={toSignIn} look="primary">
        Sign in
      </ButtonLink>
    </div>
  </Plain>
);

function Unusable(): JSX.Element {
  const { data: session } = useSession();
  useEffect(() => forgetLinkToken("verify-email"), []);
  if (session === undefined) return <PlainSkeleton />;
  if (session?.user.emailVerified) return <Plain title="Your email address is verified">{toPrograms}</Plain>;
  return (
    <Plain title="This link doesn't work" lead="A link works for 24 hours.">
      {session === null ? (
        <div class="row">
          <ButtonLink href={toSignIn} look="primary">
            Sign in to get a new one
          </ButtonLink>
        </div>
      ) : (
        <UnverifiedAddress user={session.user} />
      )}
    </Plain>
  );
}
