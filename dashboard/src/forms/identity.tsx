import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { useQuery } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { signUpToken } from "../link-token.ts";
import { useSession, useSignUpMode } from "../session.tsx";

/** True if the session began at the identity provider. */
export const useIsByProvider = (): boolean => useSession().data?.session.byProvider === true;

/** False for an account that signs in at the identity provider alone. Only sessions that began there ask. */
export function useHasPassword(): boolean {
  const byProvider = useIsByProvider();
  const { data } = useQuery(`password of ${byProvider}`, async (signal) =>
    byProvider ? (await take(api.auth.identity.$get({}, { init: { signal } }))).data : undefined,
  );
  return data?.hasPassword ?? !byProvider;
}

export const openUrl = ({ data }: { readonly data: { readonly url: string } }): void => location.assign(data.url);

/** Signs in at the identity provider. A person who was invited takes the invitation along. */
export function ProviderButton({ returnTo }: { readonly returnTo: string }): JSX.Element | null {
  const provider = useSignUpMode().data?.provider;
  const begin = useAction(() => take(api.auth.oidc.$post({ json: { returnTo, invitation: signUpToken() } })), {
    onDone: openUrl,
  });
  if (!provider) return null;
  return (
    <div class="row">
      <Button
        look={provider.required ? "primary" : "secondary"}
        isPending={begin.isPending}
        onClick={() => begin.run(undefined)}
      >
        Continue with {provider.name}
      </Button>
    </div>
  );
}
