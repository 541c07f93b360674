import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { NewPasswordField } from "../../forms/new-password-field.tsx";
import { activityKey } from "./activity.tsx";
import { sessionsKey } from "./sessions.tsx";

export function ChangePassword(): JSX.Element {
  // The number of changes is the form's key: a new key empties the form.
  const [changes, setChanges] = useState(0);
  const change = useAction(
    ({ currentPassword = "", newPassword = "" }: Values) =>
      take(api.auth["change-password"].$post({ json: { currentPassword, newPassword } })),
    {
      failsIn: "form",
      refreshes: [sessionsKey, activityKey],
      done: "Password changed. You were signed out everywhere else.",
      onDone: () => setChanges((count) => count + 1),
    },
  );
  return (
    <section class="account-section">
      <h2>Password</h2>
      <Form key={changes} action={change} submit="Change password">
        <TextField name="currentPassword" label="Current password" type="password" autocomplete="current-password" />
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </section>
  );
}
