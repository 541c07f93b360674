import type { JSX } from "preact";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Card } from "../../components/card.tsx";
import { Form, filled, TextArea, TextField } from "../../components/form.tsx";
import { useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

export function Issuer(): JSX.Element {
  const { program, mayChange } = useProgram();
  const { issuer } = program;
  return (
    <Card
      title="Issuer of statements"
      lead="The company or person that your partners' statements are from. Only owners can change it."
    >
      {mayChange("owner") ? (
        <IssuerForm />
      ) : (
        <ReadOnlyFacts
          facts={[
            ["Name", issuer?.name ?? "None yet"],
            ["Address", issuer?.address ?? "None yet"],
            ["Tax ID", issuer?.taxId ?? "None"],
          ]}
        />
      )}
    </Card>
  );
}

function IssuerForm(): JSX.Element {
  const { program } = useProgram();
  const { issuer } = program;
  const draft = useDraft(`program ${program.id} issuer`, {
    "issuer.name": issuer?.name ?? "",
    "issuer.address": issuer?.address ?? "",
    "issuer.taxId": issuer?.taxId ?? "",
  });
  const read = () => {
    const { "issuer.name": name = "", "issuer.address": address = "", "issuer.taxId": taxId } = draft.values;
    const isEmpty = [name, address, taxId].every((text) => filled(text) === undefined);
    return { issuer: isEmpty ? null : { name, address, taxId: filled(taxId) ?? null } };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.markSaved });
  return (
    <Form action={save} submit="Save issuer" draft={draft}>
      <div class="columns">
        <TextField name="issuer.name" label="Name" hint="To remove the issuer, clear all fields." />
        <TextField name="issuer.taxId" label="Tax ID" isOptional />
      </div>
      <TextArea name="issuer.address" label="Address" />
    </Form>
  );
}
