import type { JSX } from "preact";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Card } from "../../components/card.tsx";
import { Form, filled, TextField } from "../../components/form.tsx";
import { useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

export function Payer(): JSX.Element | null {
  const { program, may, mayChange } = useProgram();
  if (!may("admin")) return null;
  const { payer } = program;
  return (
    <Card
      title="Your bank account"
      lead="Bank files (SEPA) pay your partners from this account. Only owners can change it."
    >
      {mayChange("owner") ? (
        <Account />
      ) : (
        <ReadOnlyFacts
          facts={[
            ["Account holder", payer?.name ?? "None yet"],
            ["IBAN", payer?.iban ?? "None yet"],
            ["BIC", payer?.bic ?? "None"],
          ]}
        />
      )}
    </Card>
  );
}

function Account(): JSX.Element {
  const { program } = useProgram();
  const { payer } = program;
  const draft = useDraft(`program ${program.id} payer`, {
    "payer.name": payer?.name ?? "",
    "payer.iban": payer?.iban ?? "",
    "payer.bic": payer?.bic ?? "",
  });
  const read = () => {
    const { "payer.name": name = "", "payer.iban": iban = "", "payer.bic": bic } = draft.values;
    const isEmpty = [name, iban, bic].every((text) => filled(text) === undefined);
    return { payer: isEmpty ? null : { name, iban, bic: filled(bic) ?? null } };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.markSaved });
  return (
    <Form action={save} submit="Save account" draft={draft}>
      <div class="columns">
        <TextField name="payer.name" label="Account holder" hint="As your bank has it." />
        <TextField name="payer.iban" label="IBAN" hint="To remove the account, clear all fields." />
        <TextField name="payer.bic" label="BIC" hint="Needed by few banks." isOptional />
      </div>
    </Form>
  );
}
