import type { JSX } from "preact";
import { usePartner } from "../../api/partners.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { addressWith, partnerAddress, programAddress, statementAddress, useFilters } from "../../url.ts";
import { PartnerCommissions } from "./partner-commissions.tsx";
import { PartnerDetails } from "./partner-details.tsx";
import { PartnerEvents } from "./partner-events.tsx";
import { PartnerFigures } from "./partner-figures.tsx";
import { usePartnerPerformance } from "./queries.ts";
import { usePartnerStatus } from "./use-partner-status.tsx";

const tabs = [
  ["commissions", "Commissions"],
  ["events", "Events"],
  ["details", "Details"],
] as const;

export function PartnerProfile({ partnerId }: { readonly partnerId: string }): JSX.Element {
  const { program, may } = useProgram();
  const [filters] = useFilters();
  const { data: partner, failure } = usePartner(partnerId);
  const performance = usePartnerPerformance(partnerId, filters);
  const status = usePartnerStatus();
  useTitle(partner?.name ?? "Partner", program.name);
  const all = programAddress(program.id, "partners");
  if (failure?.status === 404) {
    return (
      <>
        <h1>Partner</h1>
        <Empty title="Not found" action={<ButtonLink href={all}>View all partners</ButtonLink>}>
          This program has no partner {partnerId}.
        </Empty>
      </>
    );
  }
  const current = tabs.find(([name]) => name === filters.tab)?.[0] ?? "commissions";
  const { period, show } = filters;
  return (
    <>
      <header class="page-head spread">
        <div class="partner-title">
          <a href={all}>Partners</a>
          <h1 class="breakable">
            <bdi>{partner?.name ?? "…"}</bdi>
          </h1>
          {partner?.status === "paused" && <Badge tone="warn">Paused</Badge>}
        </div>
        {partner !== undefined && (
          <div class="row">
            {partner.link !== null && <CopyButton text={partner.link} what="link" title="Copy link" />}
            <ButtonLink href={statementAddress(program.id, partner.id)}>Statement</ButtonLink>
            {may("admin") && (
              <Button isPending={status.isPending} onClick={() => status.change(partner)}>
                {partner.status === "active" ? "Pause…" : "Resume"}
              </Button>
            )}
          </div>
        )}
      </header>
      <Loaded query={performance} skeleton={<FiguresSkeleton />}>
        {(found) => <PartnerFigures performance={found} />}
      </Loaded>
      <Tabs
        label="Partner"
        tabs={tabs.map(([name, title]) => ({
          href: addressWith(partnerAddress(program.id, Number(partnerId)), { period, show, tab: name }),
          title,
          isCurrent: name === current,
        }))}
      />
      {current === "commissions" && <PartnerCommissions partnerId={partnerId} />}
      {current === "events" && <PartnerEvents partnerId={partnerId} />}
      {current === "details" && partner !== undefined && <PartnerDetails partner={partner} />}
      {status.dialog}
    </>
  );
}

const FiguresSkeleton = (): JSX.Element => (
  <div class="card">
    <Skeleton lines={2} />
    <div class="chart-waiting" />
  </div>
);
