import type { JSX } from "preact";
import { TextField, type Values } from "../components/form.tsx";
import { useSession } from "../session.tsx";
import { CodeField } from "./code-field.tsx";
import { useHasPassword } from "./identity.tsx";

/** Asks for the account's password, if it has one, and with two-factor authentication for a code. */
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
