import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { sessionEnded } from "../api/client.ts";
import { useSignal } from "../api/signal.ts";
import { ButtonLink } from "../components/button.tsx";
import { linkToken } from "../link-token.ts";
import { useSession } from "../session.tsx";
import { base, returnAddress } from "../url.ts";
import { Plain, PlainSkeleton } from "./plain.tsx";

/** Shows a page for signing up. A user who is already signed in when it opens gets a button to continue instead. */
export function UnlessSignedIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { query } = useLocation();
  const { data: session, failure } = useSession();
  const isEnded = useSignal(sessionEnded);
  // When the user signs up on this page, it stays until it leads the user to the next page itself.
  const isShown = useRef(false);
  isShown.current ||= session === null || isEnded || failure !== undefined;
  if (isShown.current) return <>{children}</>;
  if (!session) return <PlainSkeleton />;
  return (
    <Plain title="You already have an account" lead={`You're signed in as ${session.user.email}.`}>
      <div class="row">
        <ButtonLink
          href={linkToken("invitation") === undefined ? returnAddress(query.return) : `${base}invitation`}
          look="primary"
        >
          Continue
        </ButtonLink>
      </div>
    </Plain>
  );
}
