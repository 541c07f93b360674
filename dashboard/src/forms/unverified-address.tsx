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

/**
 * True if the user must verify their address. False where the service sends no mail; undefined while that isn't known.
 */
export function useMustVerify(user: User): boolean | undefined {
  const { data: mode } = useSignUpMode();
  return user.emailVerified ? false : mode?.sendsMail;
}

interface UnverifiedAddressProps {
  readonly user: User;
  /** The text after "Open the link that was mailed to you, then". */
  readonly andThen?: string;
  readonly children?: ComponentChildren;
}

/** Asks the user to verify their address. Shows nothing if it is verified or can't be verified. */
export function UnverifiedAddress({ user, andThen, children }: UnverifiedAddressProps): JSX.Element | null {
  const mustVerify = useMustVerify(user) === true;
  const send = useAction(
    () => take(api.auth["send-verification"].$post({ json: { app: base === "/app/" ? "app" : "partner" } })),
    { done: `A link was mailed to ${user.email}.`, refreshes: ["session"] },
  );
  useEffect(() => {
    if (!mustVerify) return undefined;
    // Reads the session again, because the link may have been opened in another tab.
    const look = () => refresh("session");
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [mustVerify]);
  if (!mustVerify) return null;
  return (
    <Notice look="warn">
      <p>
        {children} Open the link that was mailed to <span class="breakable">{user.email}</span>
        {andThen !== undefined && `, then ${andThen}`}. Nothing there? Look in your spam folder, or have another one
        mailed.
      </p>
      <Button onClick={() => send.run(undefined)} isPending={send.isPending}>
        Send another link
      </Button>
    </Notice>
  );
}
