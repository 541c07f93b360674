import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { commissionStatuses } from "#domain/commission-status.ts";
import { eventTypes } from "#domain/event-type.ts";
import { fieldError } from "../../../api/failure.ts";
import type { Webhook } from "../../../api/types.ts";
import { SelectField, TextField, useFault, type Values } from "../../../components/form.tsx";

const offeredTypes: readonly string[] = eventTypes.flatMap((type) =>
  type === "commission.updated" ? [type, ...commissionStatuses.map((status) => `${type}:${status}`)] : [type],
);

type Initial = Pick<Webhook, "url" | "description" | "types">;

export function WebhookFields({ initial }: { readonly initial?: Initial }): JSX.Element {
  const [isSome, setIsSome] = useState(initial?.types != null);
  return (
    <>
      <TextField
        name="url"
        label="URL"
        type="url"
        value={initial?.url}
        hint="A public URL of your server that begins with https, such as https://shop.example/webhooks."
      />
      <TextField name="description" label="Description" value={initial?.description} isOptional />
      <SelectField
        name="which"
        label="Events"
        value={isSome ? "some" : "all"}
        options={[
          ["all", "All events"],
          ["some", "Only some types"],
        ]}
        onInput={(which) => setIsSome(which === "some")}
      />
      {isSome && <TypeFields initial={initial?.types ?? []} />}
    </>
  );
}

/** A checkbox for each type. The group's `name` is that of the API's field, and each checkbox's `name` is its type. */
function TypeFields({ initial }: { readonly initial: readonly string[] }): JSX.Element {
  const id = useId();
  const fault = useFault("types");
  return (
    <fieldset class="field event-types" name="types">
      <legend>Types</legend>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      )}
      {[...new Set([...offeredTypes, ...initial])].map((type) => (
        <label key={type} class="check-line">
          <input
            type="checkbox"
            name={type}
            defaultChecked={initial.includes(type)}
            aria-invalid={fault !== undefined}
            aria-describedby={fault && `${id}-fault`}
          />
          <code>{type}</code>
        </label>
      ))}
    </fieldset>
  );
}

/** The chosen types of events. Null: all types. */
export function chosenTypes({ which, ...values }: Values): string[] | null {
  if (which !== "some") return null;
  const chosen = Object.keys(values).filter((name) => name.includes("."));
  if (chosen.length === 0) throw fieldError("types", "Choose at least one.");
  return chosen;
}
