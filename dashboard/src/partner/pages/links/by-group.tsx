import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { take } from "../../../api/client.ts";
import { Card } from "../../../components/card.tsx";
import { SelectFilter } from "../../../components/filters.tsx";
import { Count, Money } from "../../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { Table } from "../../../components/table.tsx";
import { regionName } from "../../../region-name.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

const groupings = [
  ["code", "Code"],
  ["sub", "Sub-ID"],
  ["landing_path", "Landing page"],
  ["referrer_host", "Referrer"],
  ["campaign", "Campaign"],
  ["coupon", "Coupon"],
  ["country", "Country"],
  ["device", "Device"],
  ["month", "Month"],
] as const;

const rowsShown = 50;

function titleOf(by: string, group: string): string {
  if (group === "none") return "None";
  if (group === "unknown") return "Removed after a year";
  if (group === "other") return "All others";
  return by === "country" && /^[A-Z]{2}$/.test(group) ? regionName(group) : group;
}

/** Figures of the last 90 days by code, sub-ID or another grouping, for the same days as the overview's chart. */
export default function ByGroup(): JSX.Element {
  const [by, setBy] = useState<(typeof groupings)[number]>(groupings[0]);
  const [groupBy, title] = by;
  const { performance } = partnerApi.programs[":programId"].partners[":partnerId"];
  const found = usePartnerQuery("performance", { groupBy, period: "90d" as const }, (call, init) =>
    take(performance.$get(call, init)),
  );
  return (
    <Card
      title="Last 90 days"
      lead={(found.data?.meta.otherCurrencies.length ?? 0) > 0 ? "Counts include all currencies." : undefined}
      actions={
        <SelectFilter
          label="Group by"
          value={groupBy}
          options={groupings.map(([name, title]) => [name, title])}
          onChoose={(chosen) => setBy(groupings.find(([name]) => name === chosen) ?? groupings[0])}
        />
      }
    >
      <Loaded query={found} skeleton={<Skeleton lines={4} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="soft">Clicks and sales of your links appear here.</p>
          ) : (
            <Table
              caption={`Your figures by ${title}`}
              columns={[
                { head: title, cell: ({ group }) => <bdi>{titleOf(meta.groupBy, group)}</bdi> },
                { head: "Clicks", isNumber: true, cell: ({ clicks }) => <Count of={clicks} /> },
                { head: "Sales", isNumber: true, cell: ({ sales }) => <Count of={sales} /> },
                {
                  head: "Earned",
                  isNumber: true,
                  cell: ({ commissionCents }) => <Money amountCents={commissionCents} currency={meta.currency} />,
                },
              ]}
              rows={data.slice(0, rowsShown)}
              rowKey={({ group }) => group}
              isStale={found.isBusy}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
