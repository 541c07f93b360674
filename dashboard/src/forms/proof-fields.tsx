import type { JSX } from "preact";
import { TextField, type Values } from "../components/form.tsx";
import { useSession } from "../session.tsx";
import { CodeField } from "./code-field.tsx";

/** Asks for the account's password, and with two-factor authentication for a code. */
export function ProofFields(props: { readonly label?: string; readonly hint?: string }): JSX.Element {
  const hasCode = useSession().data?.user.twoFactor === true;
  return (
    <>
      <TextField name="password" type="password" label="Password" autocomplete="current-password" {...props} />
      {hasCode && <CodeField />}
    </>
  );
}

export const proofOf = ({ password = "", code }: Values) => ({ password, ...(code !== undefined && { code }) });
