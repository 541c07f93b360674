import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { ButtonLink } from "../components/button.tsx";
import { Form, type Values } from "../components/form.tsx";
import { NewPasswordField } from "../forms/new-password-field.tsx";
import { forgetLinkToken, linkToken } from "../link-token.ts";
import { Plain } from "../shell/plain.tsx";

export default function ResetPassword(): JSX.Element {
  const { route } = useLocation();
  const token = linkToken("reset-password");
  const reset = useAction(
    ({ newPassword = "" }: Values) =>
      take(api.auth["reset-password"].$post({ json: { token: token ?? "", newPassword } })),
    {
      failsIn: "form",
      refreshes: [""],
      done: "Password changed. Sign in with the new one.",
      onDone: () => {
        forgetLinkToken("reset-password");
        route("/app/sign-in", true);
      },
    },
  );
  if (token === undefined) {
    return (
      <Plain title="Reset link not found">
        <p class="soft">Open the link you received again, or ask for a new one.</p>
        <ButtonLink href="/app/sign-in">Sign in</ButtonLink>
      </Plain>
    );
  }
  return (
    <Plain title="Choose a new password" lead="You'll be signed out on all your devices.">
      <Form action={reset} submit="Change password">
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </Plain>
  );
}
