import type { JSX } from "preact";
import { useLocation, useRoute } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, filled, SelectField, TextField, type Values } from "../components/form.tsx";
import { keepOneTimeKey } from "../one-time-key.ts";
import { currencyOfZone, currencyOptions, timezoneOptions } from "../select-options.ts";
import { useSignedIn } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { programAddress } from "../url.ts";

export default function NewProgram(): JSX.Element {
  const { route } = useLocation();
  const { workspaceId = "" } = useRoute().params;
  const session = useSignedIn();
  const create = useAction(
    ({ name = "", websiteUrl, currency, timezone }: Values) => {
      const regional = { currency: filled(currency), timezone: filled(timezone) };
      return take(api.programs.$post({ json: { workspaceId, name, websiteUrl: filled(websiteUrl), ...regional } }));
    },
    {
      failsIn: "form",
      refreshes: ["programs"],
      onDone: ({ data }) => {
        if (data.apiToken !== undefined) keepOneTimeKey(data.id, data.apiToken);
        route(programAddress(data.id, "setup"));
      },
    },
  );
  if (!session.data) return <PlainSkeleton />;
  return (
    <Plain
      title="Create a program"
      lead="Create one for each product that partners promote. You can change all of this later."
    >
      <Form action={create} submit="Create program">
        <TextField name="name" label="Name" />
        <TextField name="websiteUrl" label="Website" type="url" hint="Where your partners' links lead." isOptional />
        <div class="columns">
          <SelectField name="currency" label="Currency" options={currencyOptions()} value={currencyOfZone()} />
          <SelectField
            name="timezone"
            label="Time zone"
            options={timezoneOptions()}
            value={Intl.DateTimeFormat().resolvedOptions().timeZone}
            hint="Sets where days begin and end in your reports."
          />
        </div>
      </Form>
    </Plain>
  );
}
