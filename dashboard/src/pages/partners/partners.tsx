import "./partners.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { Button } from "../../components/button.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { NewPartner } from "./new-partner.tsx";
import { PartnerFilters } from "./partner-filters.tsx";
import { PartnerProfile } from "./partner-profile.tsx";
import { PartnerTable } from "./partner-table.tsx";
import { usePartners } from "./queries.ts";

export default function Partners(): JSX.Element {
  const { item } = useRoute().params;
  return item === undefined || item === "" ? <PartnerList /> : <PartnerProfile key={item} partnerId={item} />;
}

function PartnerList(): JSX.Element {
  const { mayChange } = useProgram();
  const [filters] = useFilters();
  const partners = usePartners(filters);
  const [isAdding, setIsAdding] = useState(false);
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
          if (found.data.length > 0) return <PartnerTable found={found} isStale={partners.isLoading} />;
          if (isNarrowed) return <Empty title="No partners found">Try another name, code or email address.</Empty>;
          return <NoPartners onAdd={mayChange("admin") ? () => setIsAdding(true) : undefined} />;
        }}
      </Loaded>
      {isAdding && <NewPartner onClose={() => setIsAdding(false)} />}
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
