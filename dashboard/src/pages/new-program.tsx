import type { JSX } from "preact";
import { useLocation, useRoute } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { useQuery } from "../api/use-query.ts";
import { Form, filled, SelectField, TextField, type Values } from "../components/form.tsx";
import { withScheme } from "../forms/with-scheme.ts";
import { keepOneTimeKey } from "../one-time-key.ts";
import { currencyOfZone, currencyOptions, timezoneOptions } from "../select-options.ts";
import { useSignedIn } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { programAddress } from "../url.ts";

const locationNames: Readonly<Record<string, string>> = {
  wnam: "Western North America",
  enam: "Eastern North America",
  sam: "South America",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  afr: "Africa",
  me: "Middle East",
  apac: "Asia-Pacific",
  "apac-ne": "Northeast Asia",
  "apac-se": "Southeast Asia",
  oc: "Oceania",
};

const locationOptions = (locations: readonly { readonly location: string }[] = []) => [
  ["", "Any"] as const,
  ...locations.map(({ location }) => [location, locationNames[location] ?? location] as const),
];

export default function NewProgram(): JSX.Element {
  const { route } = useLocation();
  const { workspaceId = "" } = useRoute().params;
  const session = useSignedIn();
  const create = useAction(
    ({ name = "", websiteUrl, currency, timezone, location }: Values) => {
      const regional = { currency: filled(currency), timezone: filled(timezone), location: filled(location) };
      return take(
        api.programs.$post({ json: { workspaceId, name, websiteUrl: withScheme(filled(websiteUrl)), ...regional } }),
      );
    },
    {
      failsIn: "form",
      refreshes: ["programs"],
      onDone: ({ data }) => {
        if (data.apiToken !== undefined) keepOneTimeKey({ programId: data.id, key: data.apiToken });
        route(programAddress(data.id, "setup"));
      },
    },
  );
  const locations = useQuery(
    "locations",
    async (signal) => (await take(api.locations.$get({}, { init: { signal } }))).data,
  );
  if (!session.data) return <PlainSkeleton />;
  const hasChoice = (locations.data?.length ?? 0) > 1;
  return (
    <Plain
      title="Create a program"
      lead={`Create a program for each product that partners promote. You can change all of this${hasChoice ? " except the location" : ""} later.`}
    >
      <Form action={create} submit="Create program">
        <TextField name="name" label="Name" />
        <TextField
          name="websiteUrl"
          label="Website"
          inputMode="url"
          hint="Where your partners' links lead."
          isOptional
        />
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
        {hasChoice && (
          <SelectField
            name="location"
            label="Location"
            options={locationOptions(locations.data)}
            hint="Where the program's data is stored."
          />
        )}
      </Form>
    </Plain>
  );
}
