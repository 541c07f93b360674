import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate } from "../../format.ts";
import { isDay } from "../../is-day.ts";
import { heldLabel, statusLabels } from "../../outcome-labels.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { Rows, Sum } from "../../reasons/parts.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";

interface OfDayProps {
  readonly name: string;
  readonly partnerId: string;
  readonly day: string;
}

function useDayEntries(partnerId: string, day: string, currency: string) {
  const entries = api.programs[":programId"].partners[":partnerId"]["day-entries"];
  return useProgramQuery(`entries of ${partnerId}`, { day, currency }, ({ param, query }, init) =>
    take(entries.$get({ param: { ...param, partnerId }, query }, init)),
  );
}

/** Explains a partner's commission of a day by its entries. */
export function OfDay({ name, ...of }: OfDayProps): JSX.Element {
  return name === "commission" && isDay(of.day) ? <Entries {...of} /> : <NoReasons />;
}

function Entries({ partnerId, day }: Omit<OfDayProps, "name">): JSX.Element {
  const { program } = useProgram();
  const [filters] = useFilters();
  const currency = filters.currency ?? program.currency;
  const found = useDayEntries(partnerId, day, currency);
  return (
    <Loaded query={found} skeleton={<Skeleton lines={8} />}>
      {({ data, meta }) => {
        const amountCents = data.reduce((sum, entry) => sum + entry.amountCents, 0);
        const what = `commission, ${formatDate(day)}`;
        return (
          <>
            <Sum
              equation={{ what, amountCents, currency, terms: [] }}
              note={meta.hasMore ? `Only the first ${data.length} of the day's entries.` : undefined}
            />
            <Rows
              label="Entries"
              rows={data.map((entry, i) => ({
                key: i,
                title: (
                  <a href={explainAddress(program.id, { commissionId: String(entry.commissionId) })}>
                    <bdi>{entry.transactionId}</bdi>
                  </a>
                ),
                detail: (
                  <>
                    {kindText(entry)} · {entry.saleDate !== day && <>sale of {formatDate(entry.saleDate)} · </>}
                    now: {entry.held ? heldLabel : statusLabels[entry.status]}
                  </>
                ),
                amount: <Money amountCents={entry.amountCents} currency={currency} />,
              }))}
            />
          </>
        );
      }}
    </Loaded>
  );
}

type Entry = NonNullable<ReturnType<typeof useDayEntries>["data"]>["data"][number];

function kindText({ kind, amountCents }: Entry): string {
  switch (kind) {
    case "reversed":
      return "Refund";
    case "restored":
      return "Canceled refund";
    case "rejected":
      return "Rejected";
    case "moved":
      return amountCents < 0 ? "Moved to another partner" : "Moved from another partner";
    default:
      return "Earned";
  }
}
