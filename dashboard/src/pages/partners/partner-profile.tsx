import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type PartnerWithBalances, usePartner } from "../../api/partners.ts";
import type { Query } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { MoreIcon } from "../../components/icons.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Menu } from "../../components/menu.tsx";
import { shownName } from "../../components/partner-name.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { nameInText } from "../../named-by-code.ts";
import { useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { addressWith, partnerAddress, periodFilters, programAddress, statementAddress, useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { usePerformance } from "../overview/queries.ts";
import { PartnerBalances } from "./partner-balances.tsx";
import { PartnerCommissions } from "./partner-commissions.tsx";
import { PartnerDetails } from "./partner-details.tsx";
import { PartnerEvents } from "./partner-events.tsx";
import { PartnerFigures } from "./partner-figures.tsx";
import { usePartnerStatus } from "./use-partner-status.tsx";

const ErasePartner = lazy(() => import("./erase-partner.tsx"), null);

const tabs = [
  ["commissions", "Commissions"],
  ["events", "Events"],
  ["details", "Details"],
] as const;

export default function PartnerProfile({ partnerId }: { readonly partnerId: string }): JSX.Element {
  const { program } = useProgram();
  const [filters] = useFilters();
  const partnerRead = usePartner(partnerId);
  const performance = usePerformance({ ...filters, partnerId }, useRange(filters));
  const { failure } = partnerRead;
  // The page shows everything at once, so that nothing moves.
  const isReady = isSettled(partnerRead) && isSettled(performance);
  const partner = isReady ? partnerRead.data : undefined;
  const status = usePartnerStatus();
  useTitle(partner?.name ?? "Partner", program.name);
  const kept = periodFilters(filters);
  const all = addressWith(programAddress(program.id, "partners"), kept);
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
  return (
    <>
      <Head partner={partner} all={all} status={status} />
      {isReady && (
        <Loaded query={partnerRead} skeleton={null}>
          {(found) => found && <PartnerBalances partner={found} />}
        </Loaded>
      )}
      <Loaded query={isReady ? performance : { ...performance, data: undefined }} skeleton={<FiguresSkeleton />}>
        {(found) => <PartnerFigures partnerId={partnerId} performance={found} isStale={performance.isStale} />}
      </Loaded>
      <div class="stack partner-lists" hidden={!isReady}>
        <Tabs
          label="Partner"
          tabs={tabs.map(([name, title]) => ({
            href: addressWith(partnerAddress(program.id, Number(partnerId)), {
              ...kept,
              show: filters.show,
              tab: name,
            }),
            title,
            isCurrent: name === current,
          }))}
        />
        {current === "commissions" && <PartnerCommissions partnerId={partnerId} />}
        {current === "events" && <PartnerEvents partnerId={partnerId} />}
        {current === "details" && partner !== undefined && <PartnerDetails partner={partner} />}
      </div>
      {status.dialog}
    </>
  );
}

interface HeadProps {
  /** Undefined while the partner loads. */
  readonly partner: PartnerWithBalances | undefined;
  /** The address of the list of partners. */
  readonly all: string;
  readonly status: ReturnType<typeof usePartnerStatus>;
}

function Head({ partner, all, status }: HeadProps): JSX.Element {
  const { program, may } = useProgram();
  const [{ currency }] = useFilters();
  const [isErasing, setIsErasing] = useState(false);
  return (
    <header class="page-head spread">
      <div class="partner-title">
        <a href={all}>Partners</a>
        <h1 class="breakable">
          <bdi>{partner ? shownName(partner.name, partner.code) : "…"}</bdi>
        </h1>
        {partner?.status === "paused" && <Badge tone="warn">{partner.erased ? "Erased" : "Paused"}</Badge>}
      </div>
      {partner !== undefined && (
        <div class="row">
          {partner.link !== null && <CopyButton text={partner.link} what="link" title="Copy link" />}
          <ButtonLink href={statementAddress(program.id, partner.id, currency)}>Statement</ButtonLink>
          {may("admin") && !partner.erased && (
            <Button isPending={status.isPending} onClick={() => status.change(partner)}>
              {partner.status === "active" ? "Pause…" : "Resume"}
            </Button>
          )}
          {may("owner") && !partner.erased && (
            <Menu label={`More actions for ${nameInText(partner.name)}`} isFloating button={<MoreIcon />}>
              <button type="button" class="menu-item" onClick={() => setIsErasing(true)}>
                Erase…
              </button>
            </Menu>
          )}
          {isErasing && <ErasePartner partner={partner} onClose={() => setIsErasing(false)} />}
        </div>
      )}
    </header>
  );
}

const isSettled = ({ data, failure }: Pick<Query<unknown>, "data" | "failure">): boolean =>
  data !== undefined || failure !== undefined;

const FiguresSkeleton = (): JSX.Element => (
  <div class="card">
    <Skeleton lines={2} />
    <div class="chart-waiting" />
  </div>
);
