import type { JSX } from "preact";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { pluralize } from "../../format.ts";
import { parseWhole } from "../../forms/parse-numbers.ts";
import { type Program, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

const models: readonly (readonly [Program["attributionModel"], string])[] = [
  ["last_click", "Last click"],
  ["first_click", "First click"],
];
const windowEnds: readonly (readonly [Program["windowUntil"], string])[] = [
  ["lead", "Lead"],
  ["first_sale", "First payment"],
];
const leadAuths: readonly (readonly [Program["leadAuth"], string])[] = [
  ["browser_allowed", "Browser and server"],
  ["server_required", "Server only"],
];

const oneOf = <Value extends string>(options: readonly (readonly [Value, string])[], value: string | undefined) =>
  options.find(([option]) => option === value);

const days = (text: string | undefined, name: string) => (text === undefined ? undefined : parseWhole(text, name));

export function Attribution(): JSX.Element {
  const { program, mayChange } = useProgram();
  const { attributionWindowDays, cookieWindowDays } = program;
  return (
    <div class="settings">
      <Card title="Attribution" lead="Changes apply to new events. Earlier decisions stay as they are.">
        {mayChange("admin") ? (
          <Rules />
        ) : (
          <ReadOnlyFacts
            facts={[
              ["Attribution window", pluralize(attributionWindowDays, "day")],
              ["Required within the window", oneOf(windowEnds, program.windowUntil)?.[1]],
              ["Attribution model", oneOf(models, program.attributionModel)?.[1]],
              ["Cookie lifetime", pluralize(cookieWindowDays ?? attributionWindowDays, "day")],
              ["Accept leads from", oneOf(leadAuths, program.leadAuth)?.[1]],
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
    attributionWindowDays: String(program.attributionWindowDays),
    windowUntil: program.windowUntil,
    attributionModel: program.attributionModel,
    cookieWindowDays: program.cookieWindowDays === null ? "" : String(program.cookieWindowDays),
    leadAuth: program.leadAuth,
  });
  const read = () => {
    const { attributionWindowDays, windowUntil, attributionModel, cookieWindowDays, leadAuth } = draft.changes;
    return {
      attributionWindowDays: days(attributionWindowDays, "attributionWindowDays"),
      windowUntil: oneOf(windowEnds, windowUntil)?.[0],
      attributionModel: oneOf(models, attributionModel)?.[0],
      cookieWindowDays: cookieWindowDays === "" ? null : days(cookieWindowDays, "cookieWindowDays"),
      leadAuth: oneOf(leadAuths, leadAuth)?.[0],
    };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.markSaved });
  return (
    <Form action={save} submit="Save" draft={draft}>
      <div class="columns attribution">
        <TextField
          name="attributionWindowDays"
          label="Attribution window"
          unit="days"
          inputMode="numeric"
          hint="1 to 365 days from the click. Without a reported lead, the first payment must be within it."
        />
        <SelectField
          name="windowUntil"
          label="Required within the window"
          options={windowEnds}
          hint="For example, with a 60-day window and a 90-day trial: “Lead” credits the partner once the customer pays after the trial. “First payment” doesn't, because the payment comes too late."
        />
        <SelectField
          name="attributionModel"
          label="Attribution model"
          options={models}
          hint="Which click counts if a customer has several within the window."
        />
        <TextField
          name="cookieWindowDays"
          label="Cookie lifetime"
          unit="days"
          inputMode="numeric"
          hint="How long a visitor's browser remembers the click. Default: the attribution window."
          isOptional
        />
      </div>
      <SelectField
        name="leadAuth"
        label="Accept leads from"
        options={leadAuths}
        hint="Anyone can send a lead from a browser, so with “Browser and server” your customer keys must not be guessable: use random IDs, not email addresses or sequential numbers. Choose “Server only” as soon as your backend reports leads. Browser reports are then stored but don't count."
      />
    </Form>
  );
}
