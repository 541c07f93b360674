import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { Button, ButtonLink } from "../components/button.tsx";
import { type FailedProps, failureText, failureTitle } from "../components/states.tsx";
import { lastProgram } from "../last-program.ts";
import { useSignOut } from "../session.tsx";
import { Plain } from "../shell/plain.tsx";
import { ProviderLink } from "./provider-link.tsx";

/** Shown instead of a page whose program or workspaces couldn't be loaded. */
export default function FailedPage({ failure, onRetry }: FailedProps): JSX.Element {
  const { route } = useLocation();
  const elsewhere = () => {
    lastProgram.forget();
    route("/app/");
  };
  const isBoundToProvider = failure.code === "oidc_required";
  return (
    <Plain title={failureTitle(failure)}>
      <p class="soft" role="alert">
        {failureText(failure)}
        {isBoundToProvider && " If your account isn't linked yet, link it on the Account page first."}
      </p>
      <div class="row">
        {isBoundToProvider ? (
          <FromPassword />
        ) : (
          <>
            <Button onClick={onRetry}>Try again</Button>
            <Button look="quiet" onClick={elsewhere}>
              Go to your programs
            </Button>
          </>
        )}
      </div>
    </Plain>
  );
}

function FromPassword(): JSX.Element {
  const signOut = useSignOut();
  return (
    <>
      <ProviderLink />
      <Button isPending={signOut.isPending} onClick={() => signOut.run(undefined)}>
        Sign out
      </Button>
      <ButtonLink href="/app/account" look="quiet">
        Open the Account page
      </ButtonLink>
    </>
  );
}
