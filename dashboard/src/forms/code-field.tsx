import type { JSX } from "preact";
import { TextField } from "../components/form.tsx";

/** `isNew` is true for an authenticator app that is being set up, for which recovery codes aren't accepted. */
export const CodeField = ({ isNew = false }: { readonly isNew?: boolean }): JSX.Element => (
  <TextField
    name="code"
    label="Code"
    autocomplete="one-time-code"
    hint={isNew ? "The 6 digits that the app shows." : "The 6 digits of your authenticator app, or a recovery code."}
  />
);
