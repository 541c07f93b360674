import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, TextField, type Values } from "../components/form.tsx";
import { useSignedIn } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";

export default function NewWorkspace(): JSX.Element {
  const { route } = useLocation();
  const session = useSignedIn();
  const create = useAction(({ name = "" }: Values) => take(api.workspaces.$post({ json: { name } })), {
    failsIn: "form",
    refreshes: ["workspaces"],
    onDone: ({ data }) => route(`/app/workspaces/${data.id}/programs/new`),
  });
  if (!session.data) return <PlainSkeleton />;
  return (
    <Plain
      title="Name your workspace"
      lead="It holds your programs and the people who work on them: your company, mostly."
    >
      <Form action={create} submit="Create workspace">
        <TextField name="name" label="Name" autocomplete="organization" />
      </Form>
    </Plain>
  );
}
