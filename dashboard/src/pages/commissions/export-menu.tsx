import type { JSX } from "preact";
import { api, takeFile } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { ChevronIcon } from "../../components/icons.tsx";
import { Menu } from "../../components/menu.tsx";
import { daysOfPeriod, monthName, todayIn } from "../../sale-period.ts";
import { saveFile } from "../../save-file.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { listQuery } from "./queries.ts";

/** Downloads commissions by an API call, not a link, so that a failure is shown as a message, not as JSON. */
export function ExportMenu(): JSX.Element {
  const { program } = useProgram();
  const [filters] = useFilters();
  const view = listQuery(filters, program);
  const { status: _, reason: __, ...everyStatus } = view;
  const lastMonth = { sort: "date", order: "asc", ...daysOfPeriod("last-month", todayIn(program.timezone)) } as const;
  const download = useAction(
    (query: Partial<typeof view> & { readonly columns: "accounting" | "api" }) =>
      takeFile(
        api.programs[":programId"].commissions.$get({
          param: paramOf(program),
          query: { ...query, format: "csv" },
        }),
      ),
    { onDone: saveFile },
  );
  const isOfPayout = Boolean(filters.payoutId);
  const choices = [
    ["This view", { ...view, columns: "accounting" }],
    ...(isOfPayout
      ? []
      : ([["This view, every status with a commission", { ...everyStatus, columns: "accounting" }]] as const)),
    ["This view, with explanations as JSON", { ...view, columns: "api" }],
  ] as const;
  const month = monthName(lastMonth.dateFrom);
  return (
    <span class="export row">
      {!isOfPayout && (
        <Button
          label={`Export ${month}: every status with a commission`}
          isPending={download.isPending}
          onClick={() => download.run({ ...lastMonth, columns: "accounting" })}
        >
          Export {month}
        </Button>
      )}
      <Menu
        label="Export as CSV"
        button={
          <>
            {download.isPending ? "Exporting…" : "Export"} <ChevronIcon />
          </>
        }
      >
        {choices.map(([title, query]) => (
          <button key={title} type="button" class="menu-item" onClick={() => download.run(query)}>
            {title}
          </button>
        ))}
      </Menu>
    </span>
  );
}
