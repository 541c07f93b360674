import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { useIsByProvider } from "../../forms/proof-fields.tsx";
import { openUrl } from "../../session.tsx";
import { activityKey } from "./activity.tsx";
import { ChangePassword } from "./change-password.tsx";
import { sessionsKey } from "./sessions.tsx";

const identityKey = "identity";

export const useIdentity = () =>
  useQuery(identityKey, async (signal) => (await take(api.auth.identity.$get({}, { init: { signal } }))).data);

interface SignInWaysProps {
  readonly identity: ReturnType<typeof useIdentity>["data"];
}

/** The account's password and, if the service has an identity provider, the account's identity there. */
export function SignInWays({ identity: found }: SignInWaysProps): JSX.Element {
  const byProvider = useIsByProvider();
  const { provider = null, identity = null, hasPassword = !byProvider } = found ?? {};
  return (
    <>
      {provider !== null && <Identity provider={provider} isLinked={identity !== null} hasPassword={hasPassword} />}
      {hasPassword && <ChangePassword />}
    </>
  );
}

interface IdentityProps {
  readonly provider: string;
  readonly isLinked: boolean;
  readonly hasPassword: boolean;
}

function Identity({ provider, isLinked, hasPassword }: IdentityProps): JSX.Element {
  const link = useAction(() => take(api.auth.oidc.link.$post({ json: { returnTo: "/app/account" } })), {
    onDone: openUrl,
  });
  const remove = useAction(() => take(api.auth.identity.$delete()), {
    refreshes: [identityKey, sessionsKey, activityKey],
    done: `Your account is no longer linked to ${provider}.`,
  });
  const action = isLinked ? remove : link;
  return (
    <section class="account-section">
      <header class="row spread">
        <h2>Sign-in with {provider}</h2>
        {isLinked ? <Badge tone="good">Linked</Badge> : <Badge>Not linked</Badge>}
      </header>
      <p class="soft">
        {hasPassword
          ? `Link your account to sign in with ${provider} instead of your password.`
          : `You sign in with ${provider}. Your account has no password.`}
      </p>
      {(hasPassword || !isLinked) && (
        <div class="row">
          <Button isPending={action.isPending} onClick={() => void action.run(undefined)}>
            {isLinked ? "Remove link" : `Link to ${provider}`}
          </Button>
        </div>
      )}
    </section>
  );
}
