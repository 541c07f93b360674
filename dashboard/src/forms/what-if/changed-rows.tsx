import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { mapConcurrent } from "../../api/map-concurrent.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { PartnerName } from "../../components/partner-name.tsx";
import { Table } from "../../components/table.tsx";
import { formatCount, formatMoney } from "../../format.ts";
import { monthName } from "../../sale-period.ts";
import type { SimulatedRow } from "./simulate.ts";
import { changedRows, signed } from "./summary.ts";

const rowsAtOnce = 10;

/** Shows the rows, by month and partner, whose cost differs between today's policy and the entered one. */
export function ChangedRows({ rows }: { readonly rows: readonly SimulatedRow[] }): JSX.Element | null {
  const changed = changedRows(rows);
  const [count, setCount] = useState(rowsAtOnce);
  const shown = changed.slice(0, count);
  const partners = usePartners(shown.map(({ partnerId }) => partnerId));
  if (changed.length === 0) return null;
  return (
    <>
      <Table
        caption="Changes by month and partner"
        columns={[
          { head: "Month", cell: ({ month }) => monthName(month) },
          {
            head: "Partner",
            cell: ({ partnerId }) => {
              const partner = partners.get(partnerId);
              return partner === undefined ? "…" : <PartnerName {...partner} />;
            },
          },
          { head: "Sales", isNumber: true, cell: ({ sales }) => formatCount(sales) },
          { head: "Was", isNumber: true, cell: ({ wasCents, currency }) => formatMoney(wasCents, currency) },
          { head: "Today", isNumber: true, cell: ({ todayCents, currency }) => formatMoney(todayCents, currency) },
          {
            head: "Would be",
            isNumber: true,
            cell: ({ wouldBeCents, currency }) => formatMoney(wouldBeCents, currency),
          },
          {
            head: "Change",
            isNumber: true,
            cell: ({ todayCents, wouldBeCents, currency }) => signed(wouldBeCents - todayCents, currency),
          },
        ]}
        rows={shown}
        rowKey={({ month, partnerId, currency }) => `${month} ${partnerId} ${currency}`}
      />
      {shown.length < changed.length && (
        <div class="row">
          <Button onClick={() => setCount(count + rowsAtOnce)}>Show more</Button>
          <span class="hint">
            {formatCount(shown.length)} of {formatCount(changed.length)} rows that change
          </span>
        </div>
      )}
    </>
  );
}

const callsAtOnce = 4;

/** Reads the partners of the rows, by id. */
function usePartners(ids: readonly number[]) {
  const wanted = [...new Set(ids)];
  const { data = [] } = useProgramQuery("partners compared", wanted, ({ param }, init) =>
    mapConcurrent(wanted, callsAtOnce, async (id) => {
      const one = api.programs[":programId"].partners[":partnerId"];
      return (await take(one.$get({ param: { ...param, partnerId: String(id) } }, init))).data;
    }),
  );
  return new Map(data.map(({ id, name, code }) => [id, { name, code }] as const));
}
