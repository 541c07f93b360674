import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { refresh } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { type Session, useSignUpMode } from "../session.tsx";
import { base } from "../url.ts";

type User = Pick<Session["user"], "email" | "emailVerified">;

/** False where the service sends no mail, so that no one can verify an address. Undefined while that isn't known. */
export function useMustVerify(user: User): boolean | undefined {
  const { data: mode } = useSignUpMode();
  return user.emailVerified ? false : mode?.sendsMail;
}

interface UnverifiedAddressProps {
  readonly user: User;
  readonly children?: ComponentChildren;
}

/** Shows nothing if the address is verified, or can't be. */
export function UnverifiedAddress({ user, children }: UnverifiedAddressProps): JSX.Element | null {
  const mustVerify = useMustVerify(user) === true;
  const send = useAction(
    () => take(api.auth["send-verification"].$post({ json: { app: base === "/app/" ? "app" : "partner" } })),
    { done: `A link was mailed to ${user.email}.`, refreshes: ["session"] },
  );
  useEffect(() => {
    if (!mustVerify) return undefined;
    // The link was opened in another tab.
    const look = () => refresh("session");
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [mustVerify]);
  if (!mustVerify) return null;
  return (
    <Notice look="warn">
      <p>
        {children} Open the link that was mailed to <span class="breakable">{user.email}</span>. Nothing there? Look in
        your spam folder, or have another one mailed.
      </p>
      <Button onClick={() => send.run(undefined)} isPending={send.isPending}>
        Send another link
      </Button>
    </Notice>
  );
}
