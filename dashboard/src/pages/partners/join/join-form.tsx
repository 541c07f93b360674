import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { Failure, fieldError } from "../../../api/failure.ts";
import { useGroups } from "../../../api/groups.ts";
import { useAction } from "../../../api/use-action.ts";
import { Form, filled, SelectField, TextArea, TextField, type Values } from "../../../components/form.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { useDraft } from "../../../use-draft.ts";
import { OpenConditions } from "./open-conditions.tsx";
import { closed, type JoinPage, modes } from "./queries.ts";

const needs = [
  ["optional", "Optional"],
  ["required", "Required"],
] as const;

const maxQuestions = 5;
const places = Array.from({ length: maxQuestions }, (_, place) => place);
const labelField = (place: number): string => `questions.${place}.label`;
const needField = (place: number): string => `questions.${place}.required`;

export function JoinForm({ page }: { readonly page: JoinPage | null }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} join`, initialValues(page, program.name));
  const save = useAction(
    (values: Values) =>
      take(api.programs[":programId"].join.$put({ param: paramOf(program), json: read(values, page) })).catch(
        (error: unknown) => {
          throw inWords(error);
        },
      ),
    {
      failsIn: "form",
      done: "Saved.",
      refreshes: [`program ${program.id} join`, `program ${program.id} audit`],
      onDone: draft.markSaved,
    },
  );
  const groups = useGroups().data ?? [];
  // Shows one empty question after the questions that are in use.
  const shown = places.filter((place) => place === 0 || places.some((other) => isUsed(draft.values, other, place - 1)));
  return (
    <Form action={save} submit="Save join page" draft={draft}>
      <div class="columns">
        <SelectField name="mode" label="Applications" options={modes} />
        <TextField
          name="slug"
          label="Address"
          hint="The end of the link: 3 to 40 lower-case letters, digits or hyphens. The old link stops working."
        />
      </div>
      {draft.values.mode === "open" && <OpenConditions />}
      <TextField name="headline" label="Headline" hint="Up to 120 characters." isOptional />
      <div class="long-text">
        <TextArea
          name="description"
          label="Description"
          hint="Plain text. Your commission and your terms are shown as well."
          isOptional
        />
      </div>
      {groups.length > 0 && (
        <SelectField
          name="groupId"
          label="Group of new partners"
          options={[["", "None"], ...groups.map(({ id, name }) => [String(id), name] as const)]}
        />
      )}
      <fieldset class="stack questions">
        <legend>Questions</legend>
        <p class="hint">Up to {maxQuestions}. Clear a question to remove it.</p>
        {shown.map((place) => (
          <div key={place} class="question">
            <TextField name={labelField(place)} label={`Question ${place + 1}`} isOptional />
            <SelectField name={needField(place)} label={`Answer ${place + 1}`} options={needs} />
          </div>
        ))}
      </fieldset>
    </Form>
  );
}

function inWords(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  if (error.code === "slug_taken") return fieldError("slug", "Another program has this address. Choose another one.");
  if (error.code === "open_needs") return fieldError("mode", "Change the settings below first.");
  return error;
}

const isUsed = (values: Values, place: number, from: number): boolean =>
  place >= from && filled(values[labelField(place)]) !== undefined;

function initialValues(page: JoinPage | null, programName: string): Values {
  const { mode = "closed", slug, headline = "", description = "", questions = [], groupId } = page ?? {};
  return {
    mode,
    slug: slug ?? suggestedSlug(programName),
    headline,
    description,
    groupId: String(groupId ?? ""),
    ...Object.fromEntries(
      places.flatMap((place) => [
        [labelField(place), questions[place]?.label ?? ""],
        [needField(place), questions[place]?.required ? "required" : "optional"],
      ]),
    ),
  };
}

const suggestedSlug = (programName: string): string =>
  programName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);

/** Reads the form. A question keeps its id while it is reworded, because earlier answers belong to it. */
function read(values: Values, page: JoinPage | null): JoinPage {
  const { slug = "", headline = "", description = "" } = values;
  const [mode] = modes.find(([each]) => each === values.mode) ?? closed;
  const questions = places.flatMap((place) => {
    const label = filled(values[labelField(place)]);
    if (label === undefined) return [];
    const id = page?.questions[place]?.id ?? `q_${crypto.randomUUID().slice(0, 8)}`;
    return [{ id, label, required: values[needField(place)] === "required" }];
  });
  // If the program has no groups, the form has no field for one.
  const { groupId = page?.groupId } = values;
  // Browsers send a text area's line breaks as two characters.
  return {
    mode,
    slug: slug.trim(),
    headline: headline.trim(),
    description: description.replaceAll("\r\n", "\n"),
    questions,
    groupId: Number(groupId) || null,
  };
}
