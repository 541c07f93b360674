import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Partner } from "../../../api/partners.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { CouponTable } from "./coupon-table.tsx";
import { NewCoupon } from "./new-coupon.tsx";
import { useCoupons } from "./queries.ts";

const parameter = "coupons";

export default function PartnerCoupons({ partner }: { readonly partner: Partner }): JSX.Element {
  const { mayChange } = useProgram();
  const [{ [parameter]: cursor }] = useFilters();
  const coupons = useCoupons({ partnerId: String(partner.id), cursor });
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Card
      title="Coupons"
      lead="A new customer's sale with one of these codes is this partner's, unless a click has already attributed the customer."
      actions={mayChange("admin") && <Button onClick={() => setIsAdding(true)}>Create a coupon…</Button>}
    >
      <Loaded query={coupons} skeleton={<Skeleton lines={2} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="soft">This partner has no coupons.</p>
          ) : (
            <>
              <CouponTable coupons={data} isStale={coupons.isBusy} isOfOnePartner />
              <Pagination nextCursor={meta.nextCursor} of={parameter} />
            </>
          )
        }
      </Loaded>
      {isAdding && <NewCoupon partner={partner} onClose={() => setIsAdding(false)} />}
    </Card>
  );
}
