import type { JSX } from "preact";
import { TextField } from "../components/form.tsx";

/** `isOfApp` is true where recovery codes aren't accepted. */
export const CodeField = ({ isOfApp = false }: { readonly isOfApp?: boolean }): JSX.Element => (
  <TextField
    name="code"
    label="Code"
    autocomplete="one-time-code"
    hint={isOfApp ? "The 6 digits that the app shows." : "The 6 digits of your authenticator app, or a recovery code."}
  />
);
