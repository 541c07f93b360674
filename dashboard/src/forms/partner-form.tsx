import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, filled, TextField, type Values } from "../components/form.tsx";
import { nameInText } from "../named-by-code.ts";
import { paramOf, useProgram } from "../session.tsx";
import { useDraft } from "../use-draft.ts";
import { withScheme } from "./with-scheme.ts";

export interface AddedPartner {
  readonly id: number;
  readonly name: string;
  readonly link: string | null;
  readonly email?: string | null | undefined;
}

const empty = { name: "", code: "", email: "", destinationUrl: "" };

export function PartnerForm({ onDone }: { readonly onDone?: (partner: AddedPartner) => void }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} new partner`, empty);
  const { code = "", destinationUrl } = draft.values;
  const create = useAction(
    ({ name = "", code = "", email, destinationUrl }: Values) => {
      const json = { name, code, email: filled(email), destinationUrl: withScheme(filled(destinationUrl)) };
      return take(api.programs[":programId"].partners.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `${nameInText(data.name)} was added.`,
      refreshes: [`program ${program.id} `],
      onDone: ({ data }) => {
        draft.discard();
        onDone?.(data);
      },
    },
  );
  return (
    <Form action={create} submit="Add partner" draft={draft}>
      <div class="columns">
        <TextField name="name" label="Name" />
        <TextField
          name="code"
          label="Code"
          hint={
            <>
              Partner link:{" "}
              <span class="breakable">
                {linkTo(
                  withScheme(filled(destinationUrl)) ?? program.websiteUrl ?? "https://your-site.example/",
                  code || "code",
                )}
              </span>
            </>
          }
        />
        <TextField name="email" label="Email" type="email" isOptional />
        <TextField
          name="destinationUrl"
          label="Landing page"
          inputMode="url"
          hint="Where the link leads. Default: the program's website."
          isOptional
        />
      </div>
    </Form>
  );
}

function linkTo(target: string, code: string): string {
  if (!URL.canParse(target)) return `${target}?aff=${code}`;
  const url = new URL(target);
  url.searchParams.set("aff", code);
  return url.href;
}
