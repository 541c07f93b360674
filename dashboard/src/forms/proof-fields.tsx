import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useQuery } from "../api/use-query.ts";
import { TextField, type Values } from "../components/form.tsx";
import { useSession } from "../session.tsx";
import { CodeField } from "./code-field.tsx";

/** True if the session began at the identity provider. */
export const useIsByProvider = (): boolean => useSession().data?.session.byProvider === true;

/**
 * False for an account that signs in only at the identity provider. Reads this only in a session that began there; in
 * any other session, the account has a password.
 */
export function useHasPassword(): boolean {
  const byProvider = useIsByProvider();
  const { data } = useQuery(`password of ${byProvider}`, async (signal) =>
    byProvider ? (await take(api.auth.identity.$get({}, { init: { signal } }))).data : undefined,
  );
  return data?.hasPassword ?? !byProvider;
}

/** Asks for the account's password, if it has one, and for a code, if two-factor authentication is on. */
export function ProofFields(props: { readonly label?: string; readonly hint?: string }): JSX.Element {
  const hasCode = useSession().data?.user.twoFactor === true;
  const hasPassword = useHasPassword();
  return (
    <>
      {hasPassword && (
        <TextField name="password" type="password" label="Password" autocomplete="current-password" {...props} />
      )}
      {hasCode && <CodeField />}
    </>
  );
}

/** A field that isn't shown has no value. */
export const proofOf = ({ password, code }: Values) => ({
  ...(password !== undefined && { password }),
  ...(code !== undefined && { code }),
});
