import type { JSX } from "preact";
import { TextField } from "../components/form.tsx";

export const NewPasswordField = (field: { readonly name: string; readonly label: string }): JSX.Element => (
  <TextField
    {...field}
    type="password"
    autocomplete="new-password"
    hint="At least 10 characters, and not a common password."
  />
);
