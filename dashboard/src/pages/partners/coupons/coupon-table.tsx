import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { CouponCodes, CouponState, isExpired, Validity } from "../../../components/coupon.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { ChangeValidity } from "./change-validity.tsx";
import { type Coupon, couponQueryKeys } from "./queries.ts";

interface CouponTableProps {
  readonly coupons: readonly Coupon[];
  readonly isStale: boolean;
  /** True on a partner's own page, where all coupons are the partner's. */
  readonly isOfOnePartner?: boolean;
}

export function CouponTable({ coupons, isStale, isOfOnePartner = false }: CouponTableProps): JSX.Element {
  const { mayChange } = useProgram();
  const columns: readonly Column<Coupon>[] = [
    { head: "Codes", cell: (coupon) => <CouponCodes coupon={coupon} /> },
    ...(isOfOnePartner
      ? []
      : [
          {
            head: "Partner",
            cell: ({ partnerId, partnerName }: Coupon) => <PartnerLink id={partnerId} name={partnerName} />,
          },
        ]),
    { head: "Status", cell: (coupon) => <CouponState coupon={coupon} /> },
    { head: "Valid", cell: (coupon) => <Validity coupon={coupon} /> },
    ...(mayChange("admin")
      ? [{ head: "Actions", cell: (coupon: Coupon) => <Actions coupon={coupon} />, isNumber: true }]
      : []),
  ];
  return (
    <Table caption="Coupons, newest first" columns={columns} rows={coupons} rowKey={({ id }) => id} isStale={isStale} />
  );
}

type Change = Pick<Coupon, "id" | "status">;

function changedText(coupon: Pick<Coupon, "status" | "validUntil">): string {
  if (coupon.status === "paused") return "is paused";
  return isExpired(coupon, Date.now()) ? "is resumed, but has expired: change when it is valid" : "is active again";
}

function Actions({ coupon }: { readonly coupon: Coupon }): JSX.Element {
  const { program } = useProgram();
  const [isChanging, setIsChanging] = useState(false);
  const set = useAction(
    ({ id, status }: Change) => {
      const param = { ...paramOf(program), couponId: String(id) };
      return take(api.programs[":programId"].coupons[":couponId"].$patch({ param, json: { status } }));
    },
    {
      done: ({ data }) => `${data.codes[0]} ${changedText(data)}.`,
      refreshes: couponQueryKeys(program.id),
      undo: ({ data }) => void toggle(data),
    },
  );
  const toggle = ({ id, status }: Change) => set.run({ id, status: status === "paused" ? "active" : "paused" });
  const [code] = coupon.codes;
  const verb = coupon.status === "paused" ? "Resume" : "Pause";
  return (
    <span class="row-actions">
      <Button look="quiet" label={`${verb} ${code}`} isPending={set.isPending} onClick={() => toggle(coupon)}>
        {verb}
      </Button>
      <Button look="quiet" label={`Change validity of ${code}`} onClick={() => setIsChanging(true)}>
        Validity…
      </Button>
      {isChanging && <ChangeValidity coupon={coupon} onClose={() => setIsChanging(false)} />}
    </span>
  );
}
