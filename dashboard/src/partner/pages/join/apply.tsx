import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { useAction } from "../../../api/use-action.ts";
import { refresh } from "../../../api/use-query.ts";
import { Form, filled, TextArea, TextField, useFault, type Values } from "../../../components/form.tsx";
import { withScheme } from "../../../forms/with-scheme.ts";
import { nameInText } from "../../../named-by-code.ts";
import { waitText } from "../../../wait-text.ts";
import { joinApi } from "../../client.ts";
import { Terms } from "./presentation.tsx";
import { type JoinPage, joinKey } from "./queries.ts";

interface ApplyProps {
  readonly slug: string;
  readonly page: JoinPage;
  readonly userName: string;
}

const fieldOf = (questionId: string): string => `answers.${questionId}`;

export function Apply({ slug, page, userName }: ApplyProps): JSX.Element {
  const { questions, terms, isOpen } = page;
  const apply = useAction(
    async (values: Values) => {
      const missing = faultsIn(values, page);
      if (missing !== undefined) throw missing;
      const answers = Object.fromEntries(questions.map(({ id }) => [id, values[fieldOf(id)] ?? ""]));
      const { name = "", website } = values;
      const json = { name, website: withScheme(filled(website)), answers, termsVersion: terms?.version };
      return take(joinApi[":slug"].$post({ param: { slug }, json })).catch((error: unknown) => {
        // A 404 means that the join page was closed meanwhile.
        if (error instanceof Failure && error.status === 404) refresh(joinKey(slug));
        throw inWords(error, page.name);
      });
    },
    { failsIn: "form", refreshes: [joinKey(slug)] },
  );
  return (
    <section class="card" aria-labelledby="join-apply">
      <h2 id="join-apply">Apply</h2>
      {isOpen && <p class="soft">Most applications are approved at once.</p>}
      <Form action={apply} submit="Send application">
        <TextField
          name="name"
          label="Name"
          value={userName}
          autocomplete="organization"
          hint="Your name, or that of your site or channel. The program sees it."
        />
        <TextField
          name="website"
          label="Website"
          inputMode="url"
          hint="Where you would recommend the program. A profile or a channel is fine."
          isOptional
        />
        {questions.map(({ id, label, required }) => (
          <TextArea key={id} name={fieldOf(id)} label={label} isOptional={!required} />
        ))}
        {terms !== null && <AcceptTerms key={terms.version} terms={terms} />}
      </Form>
    </section>
  );
}

function AcceptTerms({ terms }: { readonly terms: NonNullable<JoinPage["terms"]> }): JSX.Element {
  const id = useId();
  const fault = useFault("terms");
  return (
    <div class="field">
      <Terms terms={terms} isOpen={fault?.message === changed} />
      <label class="check-line">
        <input
          type="checkbox"
          name="terms"
          aria-invalid={fault !== undefined}
          aria-describedby={fault && `${id}-fault`}
        />
        I accept the terms
      </label>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      )}
    </div>
  );
}

const changed = "The program has changed its terms. Read the new version, and accept it.";

/** Faults that are found before sending, since the service counts every attempt. */
function faultsIn(values: Values, { questions, terms }: JoinPage): Failure | undefined {
  const isEmpty = (name: string) => filled(values[name]) === undefined;
  const errors = [
    ...questions
      .filter(({ id, required }) => required && isEmpty(fieldOf(id)))
      .map(({ id }) => ({ path: [fieldOf(id)], message: "Enter an answer." })),
    ...(terms !== null && values.terms === undefined
      ? [{ path: ["terms"], message: "Accept the terms to apply." }]
      : []),
  ];
  const [first] = errors;
  return first && new Failure(400, { message: first.message, details: { errors } });
}

function inWords(error: unknown, programName: string): unknown {
  if (!(error instanceof Failure)) return error;
  const refused = (message: string, details = {}) => new Failure(409, { message, details });
  if (error.code === "terms_changed") {
    return refused(changed, { errors: [{ path: ["terms"], message: changed }] });
  }
  if (error.code === "join_full") {
    return refused(`${nameInText(programName)} has too many open applications right now. Try again in a few days.`);
  }
  if (error.status !== 429) return error;
  return refused(`You have tried several times. Try again in ${waitText(error.retryAfterSeconds ?? 60)}.`);
}
