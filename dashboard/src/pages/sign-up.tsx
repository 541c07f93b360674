import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, TextField, type Values } from "../components/form.tsx";
import { Plain } from "../shell/plain.tsx";
import { useArrival } from "./sign-in.tsx";

export default function SignUp(): JSX.Element {
  const { query } = useLocation();
  const onDone = useArrival();
  const signUp = useAction(
    ({ name = "", email = "", password = "" }: Values) =>
      take(api.auth["sign-up"].email.$post({ json: { name, email, password } })),
    { onDone, failsIn: "form" },
  );
  const address = query.return === undefined ? "/app/sign-in" : `/app/sign-in?${new URLSearchParams(query)}`;
  return (
    <Plain
      title="Create your account"
      lead="Clicks, leads, sales, and who earned what: a few minutes from here."
      foot={
        <>
          You have one? <a href={address}>Sign in</a>
        </>
      }
    >
      <Form action={signUp} submit="Create account">
        <TextField name="name" label="Name" autocomplete="name" />
        <TextField name="email" label="E-mail" type="email" autocomplete="username" />
        <TextField
          name="password"
          label="Password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters."
        />
      </Form>
    </Plain>
  );
}
