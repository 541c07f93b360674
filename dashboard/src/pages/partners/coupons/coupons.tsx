import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Filters } from "../../../components/filters.tsx";
import { PlusIcon } from "../../../components/icons.tsx";
import { lazy } from "../../../components/lazy.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { SelectParam } from "../../../components/param-filters.tsx";
import { PartnerFilter } from "../../../components/partner-filter.tsx";
import { SearchFilter } from "../../../components/search-filter.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { TableSkeleton } from "../../../components/table.tsx";
import { useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import type { BulkResult } from "../bulk/verbs.ts";
import { Sections } from "../sections.tsx";
import { CouponTable } from "./coupon-table.tsx";
import { NewCoupon } from "./new-coupon.tsx";
import { useCoupons } from "./queries.ts";

const PasteCoupons = lazy(() => import("./paste-coupons.tsx"), null);
const BulkOutcome = lazy(() => import("../bulk/bulk-outcome.tsx"), null);

export default function Coupons(): JSX.Element {
  const { mayChange } = useProgram();
  const [filters, setFilters] = useFilters();
  const { partnerId = "", code = "", status = "" } = filters;
  const coupons = useCoupons(filters);
  const [isAdding, setIsAdding] = useState(false);
  const [isPasting, setIsPasting] = useState(false);
  const [result, setResult] = useState<BulkResult>();
  const isFiltered = partnerId !== "" || code !== "" || status !== "";
  return (
    <>
      <header class="page-head spread">
        <h1>Partners</h1>
        {mayChange("admin") && (
          <div class="row">
            <Button onClick={() => setIsPasting(true)}>Create several…</Button>
            <Button look="primary" onClick={() => setIsAdding(true)}>
              <PlusIcon /> Create coupon
            </Button>
          </div>
        )}
      </header>
      <Sections current="coupons" />
      <p class="soft">
        A new customer's sale with a coupon code is attributed to the coupon's partner, unless a click has already
        attributed the customer.
      </p>
      {result && <BulkOutcome result={result} onUndone={setResult} />}
      <Filters>
        <PartnerFilter value={partnerId} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
        <SelectParam name="status" label="Status" options={statuses} />
        <SearchFilter name="code" searched="Code" position="cursor" />
      </Filters>
      <Loaded query={coupons} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) =>
          data.length > 0 ? (
            <div class="stack">
              <CouponTable coupons={data} isStale={coupons.isBusy} />
              <Pagination nextCursor={meta.nextCursor} />
            </div>
          ) : isFiltered ? (
            <Empty title="No coupons found">{found(code, partnerId)}</Empty>
          ) : (
            <Empty title="No coupons yet">
              Coupons appear here with their codes and their partner. Report a sale's codes as <code>coupon_codes</code>
              .
            </Empty>
          )
        }
      </Loaded>
      {isPasting && (
        <PasteCoupons
          onDone={(done) => {
            setIsPasting(false);
            setResult(done);
          }}
          onClose={() => setIsPasting(false)}
        />
      )}
      {isAdding && <NewCoupon onClose={() => setIsAdding(false)} />}
    </>
  );
}

const statuses = [
  ["", "All statuses"],
  ["active", "Not paused"],
  ["paused", "Paused"],
] as const;

function found(code: string, partnerId: string): string {
  if (code !== "") return "Enter the whole code, in upper or lower case.";
  return partnerId === "" ? "No coupon has this status." : "This partner has no such coupons.";
}
