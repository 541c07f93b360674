import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Card } from "../../components/card.tsx";
import { Segments } from "../../components/filters.tsx";
import { Count } from "../../components/numbers.tsx";
import { shownName } from "../../components/partner-name.tsx";
import { formatCount } from "../../format.ts";
import { locale } from "../../locale.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, periodFilters, programAddress, useFilters } from "../../url.ts";
import { Bars } from "./bars.tsx";
import type { Overview } from "./queries.ts";

const lists = [
  ["landingPages", "Pages"],
  ["referrers", "Referrers"],
  ["countries", "Countries"],
  ["devices", "Devices"],
] as const;
type ListName = (typeof lists)[number][0];

const regions = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const titles: Readonly<
  Record<ListName, { readonly head: string; readonly unknown: string; readonly of: (value: string) => string }>
> = {
  landingPages: { head: "Landing page", unknown: "Unknown page", of: (value) => value },
  referrers: { head: "Referrer", unknown: "Direct or unknown", of: (value) => value },
  countries: {
    head: "Country",
    unknown: "Unknown country",
    of: (value) => (/^[A-Z]{2}$/.test(value) ? (regions.of(value) ?? value) : value),
  },
  devices: { head: "Device", unknown: "Unknown device", of: capitalized },
};

function useExploreAddress(): string {
  const { program } = useProgram();
  const [filters] = useFilters();
  const { partnerId: partner } = filters;
  const by = partner === undefined ? "landing_path" : "sub";
  return addressWith(programAddress(program.id, "explore"), { ...periodFilters(filters), partner, by });
}

/** The host if all pages have the same one; the titles of the pages then leave it out. Otherwise empty. */
function onlyHost(pages: Overview["data"]["landingPages"]): string {
  const hosts = new Set(pages.flatMap(({ value }) => value?.split("/", 1) ?? []));
  return hosts.size === 1 ? ([...hosts][0] ?? "") : "";
}

export function Sources({ overview: { data, meta } }: { readonly overview: Overview }): JSX.Element {
  const [name, setName] = useState<ListName>("landingPages");
  const { head, unknown, of } = titles[name];
  const address = useExploreAddress();
  const rows = data[name];
  const host = name === "landingPages" ? onlyHost(rows) : "";
  return (
    <Card
      title="Where clicks come from"
      actions={
        <a class="card-link" href={address}>
          Explore
        </a>
      }
    >
      <Segments
        label="List"
        value={name}
        options={lists}
        onChoose={(chosen) => setName(lists.find(([each]) => each === chosen)?.[0] ?? name)}
      />
      {rows.length === 0 ? (
        <p class="soft">No clicks in this period.</p>
      ) : (
        <Bars
          caption={`Clicks and sales by ${head.toLowerCase()}`}
          heads={[head, "Clicks", "Sales"]}
          rows={rows.map(({ value, clicks, sales }) => {
            const title = value === null ? unknown : shownName(of(value), encodeURIComponent(value));
            return {
              key: value ?? "",
              title: title.startsWith(`${host}/`) ? title.slice(host.length) : title,
              tooltip: title,
              size: clicks,
              figures: [<Count of={clicks} />, <Count of={sales} />],
            };
          })}
        />
      )}
      {!meta.isComplete && (
        <p class="soft sources-note">
          Counts only the latest {formatCount(meta.countedClicks)} clicks and {formatCount(meta.countedSales)} sales of
          this period.
        </p>
      )}
    </Card>
  );
}
