import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { Failure } from "../api/failure.ts";
import { type Action, errorMessage } from "../api/use-action.ts";
import type { Draft } from "../use-draft.ts";
import { Button } from "./button.tsx";
import { failureIn, inWords } from "./form-errors.ts";
import { Notice } from "./notice.tsx";

export type Values = Readonly<Record<string, string>>;

/** Trims a value; an empty one becomes undefined, as the API expects of optional fields. */
export const filled = (text: string | undefined): string | undefined => text?.trim() || undefined;

const FailureContext = createContext<Failure | undefined>(undefined);
const DraftContext = createContext<Draft | undefined>(undefined);

interface FormProps<Output> {
  /** An action with `failsIn: "form"`. */
  readonly action: Action<Values, Output>;
  readonly submit: string;
  readonly submitLook?: "primary" | "destructive";
  /** Keeps unsaved input while the user navigates, for the fields in its `values`. */
  readonly draft?: Draft;
  /** True if there are no changes to submit. */
  readonly isUnchanged?: boolean;
  readonly onCancel?: () => void;
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form that shows each error at the field that it names, or else above the button. */
export function Form<Output>(props: FormProps<Output>): JSX.Element {
  const { action, submit, submitLook = "primary", draft, isUnchanged = false, onCancel, beside, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const { isPending } = action;
  const [ownFailure, setOwnFailure] = useState<Failure>();
  const failure = ownFailure ?? action.failure;
  const names = new Set(Array.from(form.current?.elements ?? [], (element) => element.getAttribute("name")));
  const atFields = failure?.fieldErrors.filter(({ path }) => names.has(path)) ?? [];
  const areAllAtFields = atFields.length > 0 && atFields.length === failure?.fieldErrors.length;

  useEffect(() => {
    if (draft !== undefined) return undefined;
    const watching = import("./keep-input.ts").then(
      ({ keepInput }) => form.current && keepInput(form.current, submit),
      () => undefined,
    );
    return () => void watching.then((stop) => stop?.());
  }, []);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);

  return (
    <form
      ref={form}
      class="form"
      noValidate
      onInput={({ target }) => {
        // Only these elements of a form cause input events.
        const { name, value } = target as HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
        draft?.set(name, value);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const found = failureIn(event.currentTarget);
        setOwnFailure(found);
        if (found !== undefined) return;
        const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)] as const);
        void action.run(Object.fromEntries(values));
      }}
    >
      <FailureContext.Provider value={failure}>
        <DraftContext.Provider value={draft}>{children}</DraftContext.Provider>
      </FailureContext.Provider>
      {failure !== undefined && !areAllAtFields && <Notice look="bad">{errorMessage(failure)}</Notice>}
      <div class="row">
        <Button type="submit" look={submitLook} isPending={isPending} isDisabled={isUnchanged}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        {beside}
        {draft?.isDirty && (
          <>
            <Button onClick={draft.discard}>Discard</Button>
            <span class="hint">Unsaved changes</span>
          </>
        )}
      </div>
    </form>
  );
}

/** The error that the form's last failure has for a field. */
export const useFault = (name: string): Failure["fieldErrors"][number] | undefined =>
  useContext(FailureContext)?.fieldErrors.find(({ path }) => path === name);

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** Hides the label of a field within a sentence, which already says what the field is. */
  readonly isLabelUnseen?: boolean;
  readonly hint?: ComponentChildren;
  readonly isOptional?: boolean;
}

export interface FieldWiring {
  readonly id: string;
  readonly name: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

export function Field({
  name,
  label,
  isLabelUnseen = false,
  hint,
  isOptional = false,
  control,
}: FieldProps & { readonly control: (wiring: FieldWiring) => ComponentChildren }): JSX.Element {
  const id = useId();
  const fault = useFault(name);
  const describedBy = [hint !== undefined && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id} class={isLabelUnseen ? "unseen" : undefined}>
        {label}
        {isOptional && <span class="optional"> optional</span>}
      </label>
      {control({ id, name, "aria-invalid": fault !== undefined, "aria-describedby": describedBy || undefined })}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {inWords(fault.message, name, label)}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly type?: "text" | "email" | "password" | "url" | "search";
  readonly value?: string | undefined;
  readonly autocomplete?: AutoFill;
  readonly inputMode?: "numeric" | "decimal" | "url";
  readonly unit?: string;
  readonly onInput?: (text: string) => void;
}

export function TextField({
  type = "text",
  value,
  autocomplete = "off",
  inputMode,
  unit,
  onInput,
  ...field
}: TextFieldProps): JSX.Element {
  const draft = useContext(DraftContext);
  const drafted = draft?.values[field.name];
  const input = (wiring: FieldWiring) => {
    // The type of `<input>` props depends on a literal `type`.
    const attributes = {
      ...wiring,
      type,
      autocomplete,
      inputMode,
      ...(drafted === undefined ? { defaultValue: value } : { value: drafted }),
    } as JSX.IntrinsicElements["input"];
    return (
      <input
        {...attributes}
        class="control"
        required={!field.isOptional}
        spellcheck={false}
        onInput={(event) => onInput?.(event.currentTarget.value)}
      />
    );
  };
  return (
    <Field
      {...field}
      control={(wiring) =>
        unit === undefined ? (
          input(wiring)
        ) : (
          <span class="with-unit">
            {input(wiring)}
            <span class="unit">{unit}</span>
          </span>
        )
      }
    />
  );
}

interface TextAreaProps extends FieldProps {
  readonly value?: string | undefined;
}

export function TextArea({ value, ...field }: TextAreaProps): JSX.Element {
  const drafted = useContext(DraftContext)?.values[field.name];
  const text = drafted === undefined ? { defaultValue: value } : { value: drafted };
  return <Field {...field} control={(wiring) => <textarea {...wiring} class="control" rows={3} {...text} />} />;
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value?: string | undefined;
  readonly onInput?: (value: string) => void;
}

export function SelectField({ options, value, onInput, ...field }: SelectFieldProps): JSX.Element {
  const chosen = useContext(DraftContext)?.values[field.name] ?? value;
  return (
    <Field
      {...field}
      control={(wiring) => (
        <select {...wiring} class="control" onInput={(event) => onInput?.(event.currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option} selected={option === chosen}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  );
}
