import type { JSX } from "preact";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { useDraft } from "../../draft.ts";
import { parseWhole } from "../../forms/numbers.ts";
import { inDays } from "../../forms/policy.ts";
import { type Program, useProgram } from "../../session.tsx";
import { Known } from "./known.tsx";
import { useUpdateProgram } from "./update-program.ts";

const models: readonly (readonly [Program["attributionModel"], string])[] = [
  ["last_click", "The last click"],
  ["first_click", "The first click"],
];
const leadAuths: readonly (readonly [Program["leadAuth"], string])[] = [
  ["browser_allowed", "From browsers and servers"],
  ["server_required", "From servers alone"],
];

const oneOf = <Value extends string>(options: readonly (readonly [Value, string])[], value: string | undefined) =>
  options.find(([option]) => option === value);

const days = (text: string | undefined, name: string) => (text === undefined ? undefined : parseWhole(text, name));

/** Whom a customer is owed to. */
export function Attribution(): JSX.Element {
  const { program, may } = useProgram();
  const { attributionWindowDays, cookieWindowDays } = program;
  return (
    <div class="settings">
      <Card title="Attribution" lead="It holds for the next call. What was decided before stays as it is.">
        {may("admin") ? (
          <Rules />
        ) : (
          <Known
            facts={[
              ["A customer is owed to", oneOf(models, program.attributionModel)?.[1]],
              ["Window", inDays(attributionWindowDays)],
              ["Cookie", inDays(cookieWindowDays ?? attributionWindowDays)],
              ["Sign-ups are taken", oneOf(leadAuths, program.leadAuth)?.[1]],
            ]}
          />
        )}
      </Card>
    </div>
  );
}

function Rules(): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} attribution`, {
    attributionModel: program.attributionModel,
    attributionWindowDays: String(program.attributionWindowDays),
    cookieWindowDays: program.cookieWindowDays === null ? "" : String(program.cookieWindowDays),
    leadAuth: program.leadAuth,
  });
  const read = () => {
    const { attributionModel, attributionWindowDays, cookieWindowDays, leadAuth } = draft.changes;
    return {
      attributionModel: oneOf(models, attributionModel)?.[0],
      attributionWindowDays: days(attributionWindowDays, "attributionWindowDays"),
      cookieWindowDays: cookieWindowDays === "" ? null : days(cookieWindowDays, "cookieWindowDays"),
      leadAuth: oneOf(leadAuths, leadAuth)?.[0],
    };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.settle });
  return (
    <Form action={save} submit="Save" draft={draft}>
      <div class="columns">
        <SelectField
          name="attributionModel"
          label="A customer is owed to"
          options={models}
          hint="Of all partners’ clicks within the window."
        />
        <TextField
          name="attributionWindowDays"
          label="Window"
          unit="days"
          inputMode="numeric"
          hint="From the click to the sign-up, and to the first sale: 1 to 365."
        />
        <TextField
          name="cookieWindowDays"
          label="Cookie"
          unit="days"
          inputMode="numeric"
          hint="How long a visitor’s browser keeps the click. Default: the window."
          isOptional
        />
        <SelectField
          name="leadAuth"
          label="Sign-ups are taken"
          options={leadAuths}
          hint="From servers alone: what a browser tells is kept, and settles nothing."
        />
      </div>
    </Form>
  );
}
