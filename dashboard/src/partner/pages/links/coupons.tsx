import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Card } from "../../../components/card.tsx";
import { CouponCodes, CouponState, Validity } from "../../../components/coupon.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Table } from "../../../components/table.tsx";
import { useFilters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

/** The partner's coupons. Shows nothing if there are none. */
export default function Coupons(): JSX.Element | null {
  const [{ cursor }] = useFilters();
  const { coupons } = partnerApi.programs[":programId"].partners[":partnerId"];
  const found = usePartnerQuery("coupons", { ...(cursor && { cursor }) }, (call, init) =>
    take(coupons.$get(call, init)),
  );
  if (found.data === undefined || found.data.data.length === 0) return null;
  const { data, meta } = found.data;
  return (
    <Card
      title="Coupons"
      lead="A new customer's sale with one of these codes is yours, unless they came through another partner's link."
    >
      <Table
        caption="Coupons, newest first"
        columns={[
          { head: "Codes", cell: (coupon) => <CouponCodes coupon={coupon} /> },
          { head: "Status", cell: (coupon) => <CouponState coupon={coupon} /> },
          { head: "Valid", cell: (coupon) => <Validity coupon={coupon} /> },
        ]}
        rows={data}
        rowKey={({ codes }) => codes.join(" ")}
        isStale={found.isBusy}
      />
      <Pagination nextCursor={meta.nextCursor} />
    </Card>
  );
}
