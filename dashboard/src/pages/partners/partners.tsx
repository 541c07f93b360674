import "./partners.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { NewPartner } from "./new-partner.tsx";
import { PartnerFilters } from "./partner-filters.tsx";
import { PartnerPanel } from "./partner-panel.tsx";
import { PartnerTable } from "./partner-table.tsx";
import { type ListedPartner, usePartners } from "./queries.ts";

export default function Partners(): JSX.Element {
  const { mayChange } = useProgram();
  const [filters] = useFilters();
  const partners = usePartners(filters);
  const [isAdding, setIsAdding] = useState(false);
  const [opened, setOpened] = useState<ListedPartner>();
  const isNarrowed = filters.q !== undefined || filters.page !== undefined;
  return (
    <>
      <header class="page-head spread">
        <h1>Partners</h1>
        {mayChange("admin") && (
          <Button look="primary" onClick={() => setIsAdding(true)}>
            <PlusIcon /> Add a partner
          </Button>
        )}
      </header>
      <PartnerFilters meta={partners.data?.meta} />
      <Loaded query={partners} skeleton={<TableSkeleton rows={8} />}>
        {(found) => {
          if (found.data.length > 0)
            return <PartnerTable found={found} isStale={partners.isLoading} onOpen={setOpened} />;
          if (isNarrowed) return <Empty title="No partners found">Try another name or code.</Empty>;
          return <NoPartners onAdd={mayChange("admin") ? () => setIsAdding(true) : undefined} />;
        }}
      </Loaded>
      {isAdding && <NewPartner onClose={() => setIsAdding(false)} />}
      {opened !== undefined && (
        <PartnerPanel
          key={opened.id}
          partner={partners.data?.data.find(({ id }) => id === opened.id) ?? opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

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
