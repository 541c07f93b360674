import "./coupon-preview.css";
import type { JSX } from "preact";
import { PartnerName } from "../../../components/partner-name.tsx";
import { Table } from "../../../components/table.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import type { CouponLine } from "../../../forms/coupon-lines.ts";
import { type CheckedCoupons, isNew } from "./check-coupons.ts";

const maxShown = 30;

/** Shows the coupons before any is created, those with a problem first. */
export function CouponPreview({ checked }: { readonly checked: CheckedCoupons }): JSX.Element {
  const { lines, faults, present, paused, unpaid } = checked;
  const faulty = lines.filter(({ line }) => faults.has(line));
  const shown = [...faulty, ...lines.filter(({ line }) => !faults.has(line))].slice(0, maxShown);
  const isOfFile = lines.some(({ partnerName }) => partnerName === undefined);
  const count = lines.filter((line) => isNew(checked, line)).length;
  const stateOf = ({ line }: CouponLine) => {
    const fault = faults.get(line);
    if (fault !== undefined) return <strong>{fault}</strong>;
    if (paused.has(line)) return "Paused: will be resumed";
    if (present.has(line)) return <span class="soft">The partner has it already</span>;
    return unpaid.has(line) ? "New, but the partner is paused" : "New";
  };
  return (
    <div class="coupon-preview">
      <p role="status">
        {pluralize(count, "new coupon")}
        {paused.size > 0 && `, ${formatCount(paused.size)} to resume`}
        {present.size > paused.size && `, ${formatCount(present.size - paused.size)} known already`}
        {faulty.length > 0 && `, ${pluralize(faulty.length, isOfFile ? "line" : "code")} left out`}.
      </p>
      <Table
        caption="Coupons to create"
        columns={[
          ...(isOfFile ? [{ head: "Line", cell: ({ line }: CouponLine) => line }] : []),
          { head: "Code", cell: ({ code }) => (code === "" ? "–" : <code>{code}</code>) },
          {
            head: "Partner",
            cell: ({ partner, partnerName }) =>
              partnerName === undefined ? (
                <bdi>{partner === "" ? "–" : partner}</bdi>
              ) : (
                <PartnerName name={partnerName} code={partner} />
              ),
          },
          { head: "Result", cell: stateOf },
        ]}
        rows={shown}
        rowKey={({ line }) => line}
        rowClass={({ line }) => (faults.has(line) ? "faulty" : undefined)}
      />
      {lines.length > shown.length && <p class="soft">And {pluralize(lines.length - shown.length, "more line")}.</p>}
    </div>
  );
}
