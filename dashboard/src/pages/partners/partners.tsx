import "../../styles/row-menus.css";
import "./partners.css";
import type { FunctionComponent, JSX } from "preact";
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { pluralize } from "../../format.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { PartnerFilters } from "./partner-filters.tsx";
import { PartnerTable } from "./partner-table.tsx";
import { usePartnerQuery, usePartners } from "./queries.ts";
import { type SectionPath, Sections } from "./sections.tsx";
import { UnknownCodes } from "./unknown-codes.tsx";

const Bulk = lazy(() => import("./bulk/bulk.tsx"), null);
const NewPartner = lazy(() => import("./new-partner.tsx"), null);
const AddPartners = lazy(() => import("./add-partners.tsx"), null);
const InviteAll = lazy(() => import("./invite-all.tsx"), null);
const PartnerProfile = lazy(() => import("./partner-profile.tsx"), <TableSkeleton rows={8} />);

const sections: Readonly<Record<string, FunctionComponent>> = {
  groups: lazy(() => import("./groups/groups.tsx"), <TableSkeleton rows={4} />),
  coupons: lazy(() => import("./coupons/coupons.tsx"), <TableSkeleton rows={8} />),
  bonuses: lazy(() => import("./bonuses/bonuses.tsx"), <TableSkeleton rows={4} />),
  applications: lazy(() => import("./applications/applications.tsx"), <TableSkeleton rows={8} />),
  claims: lazy(() => import("./claims/claims.tsx"), <TableSkeleton rows={8} />),
  join: lazy(() => import("./join/join.tsx"), <TableSkeleton rows={8} />),
} satisfies Record<SectionPath, FunctionComponent>;

export default function Partners(): JSX.Element {
  const { item = "" } = useRoute().params;
  if (item === "") return <PartnerList />;
  const Section = sections[item];
  return Section === undefined ? <PartnerProfile key={item} partnerId={item} /> : <Section />;
}

const none: ReadonlySet<number> = new Set();

function PartnerList(): JSX.Element {
  const { program, isArchived, may, mayChange } = useProgram();
  const [filters, setFilters] = useFilters();
  const query = usePartnerQuery();
  const partners = usePartners(query);
  const [isAdding, setIsAdding] = useState(false);
  const [isAddingSeveral, setIsAddingSeveral] = useState(false);
  const [isInviting, setIsInviting] = useState(false);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>();
  const page = partners.data;
  return (
    <>
      <header class="page-head spread">
        <h1>Partners</h1>
        <div class="row">
          {partners.data !== undefined && partners.data.data.length > 0 && (
            <ExportButton
              label="Export partners"
              call={() =>
                api.tracking.performance[":programId"].partners.$get({
                  param: paramOf(program),
                  query: { ...query, format: "csv" },
                })
              }
            />
          )}
          {mayChange("admin") && (
            <>
              <Button onClick={() => setIsInviting(true)}>Invite all…</Button>
              <Button onClick={() => setIsAddingSeveral(true)}>Add several…</Button>
              <Button look="primary" onClick={() => setIsAdding(true)}>
                <PlusIcon /> Add a partner
              </Button>
            </>
          )}
        </div>
      </header>
      <Sections />
      <PartnerFilters meta={partners.data?.meta} />
      {selectedIds && page && (
        <Bulk
          partners={partners.isBusy ? [] : page.data}
          selectedIds={selectedIds}
          onSelect={setSelectedIds}
          total={page.meta.pagination.total}
          search={filters.q}
        />
      )}
      <Loaded query={partners} skeleton={<TableSkeleton rows={8} />}>
        {(found) => {
          if (found.data.length > 0) {
            return (
              <PartnerTable
                found={found}
                isStale={partners.isBusy}
                selectedIds={may("admin") ? (selectedIds ?? none) : undefined}
                onSelect={setSelectedIds}
              />
            );
          }
          const { total } = found.meta.pagination;
          if (total > 0) return <NoSuchPage total={total} onFirst={() => setFilters({ page: undefined })} />;
          if (filters.q !== undefined)
            return <Empty title="No partners found">Try another name, code or email address.</Empty>;
          if (isArchived) return <Empty title="No partners">The program was archived before it had partners.</Empty>;
          return <NoPartners onAdd={mayChange("admin") ? () => setIsAdding(true) : undefined} />;
        }}
      </Loaded>
      <UnknownCodes />
      {isAdding && <NewPartner onClose={() => setIsAdding(false)} />}
      {isInviting && <InviteAll onClose={() => setIsInviting(false)} />}
      {isAddingSeveral && <AddPartners onClose={() => setIsAddingSeveral(false)} />}
    </>
  );
}

interface NoSuchPageProps {
  readonly total: number;
  readonly onFirst: () => void;
}

const NoSuchPage = ({ total, onFirst }: NoSuchPageProps): JSX.Element => (
  <Empty title="This page doesn't exist" action={<Button onClick={onFirst}>First page</Button>}>
    The list of {pluralize(total, "partner")} has fewer pages.
  </Empty>
);

const NoPartners = ({ onAdd }: { readonly onAdd: (() => void) | undefined }): JSX.Element => (
  <Empty
    title="No partners yet"
    action={
      onAdd && (
        <Button look="primary" onClick={onAdd}>
          Add your first partner
        </Button>
      )
    }
  >
    Partners refer customers to you with their own link. They appear here with the clicks and sales they bring in.
  </Empty>
);
