import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { ButtonLink } from "../components/button.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { nameInText } from "../named-by-code.ts";
import { useSignedIn, useWorkspaces } from "../session.tsx";
import { Unread } from "../shell/failed-page.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";

export default function NewWorkspace(): JSX.Element {
  const { route } = useLocation();
  const session = useSignedIn();
  const found = useWorkspaces();
  const workspaces = found.data;
  const create = useAction(({ name = "" }: Values) => take(api.workspaces.$post({ json: { name } })), {
    failsIn: "form",
    refreshes: ["workspaces"],
    onDone: ({ data }) => route(`/app/workspaces/${data.id}/programs/new`),
  });
  if (!session.data) return <PlainSkeleton />;
  if (workspaces === undefined) return <Unread {...found} />;
  if (!workspaces.mayCreate) {
    const { name, email } = session.data.user;
    return (
      <Plain title="You can't create a workspace" foot={`Signed in as ${nameInText(name)} (${email}).`}>
        <p class="soft">
          Only owners of a workspace can create another. To join an existing one, ask one of its owners to invite you.
        </p>
        {workspaces.own.length > 0 ? (
          <div class="row">
            <ButtonLink href="/app/">Go to your programs</ButtonLink>
          </div>
        ) : (
          <ForPartners />
        )}
      </Plain>
    );
  }
  return (
    <Plain title="Name your workspace" lead="Usually your company. It contains your programs and teammates.">
      <Form action={create} submit="Create workspace">
        <TextField name="name" label="Name" autocomplete="organization" />
      </Form>
      {workspaces.own.length === 0 && <ForPartners />}
    </Plain>
  );
}

/** An account without a workspace may be a partner's. Mails about an account lead here too. */
const ForPartners = (): JSX.Element => (
  <p class="soft">
    Are you a partner of a program? <a href="/partner/">Open your partner page</a>.
  </p>
);
