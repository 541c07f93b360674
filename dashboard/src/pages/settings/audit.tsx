import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useEveryPartner } from "../../api/partners.ts";
import { useQuery } from "../../api/use-query.ts";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { changesOf, titleOf } from "./audit-words.ts";

/** Who changed what, from what to what. */
export function Audit(): JSX.Element {
  const { program } = useProgram();
  const [{ cursor }] = useFilters();
  const { data: partners = [] } = useEveryPartner();
  const names = new Map(partners.map(({ id, name }) => [`partner ${id}`, name]));
  const entries = useQuery(`program ${program.id} audit ${cursor}`, (signal) =>
    take(
      api.programs[":programId"].audit.$get(
        { param: { programId: String(program.id) }, query: { cursor } },
        { init: { signal } },
      ),
    ),
  );
  return (
    <div class="settings wide">
      <Loaded query={entries} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="Nothing was changed yet">Each change of the program stands here, with who made it.</Empty>
          ) : (
            <div class="stack audit">
              <Table
                caption="Changes, the newest first"
                columns={[
                  { head: "When", cell: ({ at }) => <Instant at={at} /> },
                  { head: "Who", cell: ({ actorName }) => actorName ?? <span class="soft">somebody who is gone</span> },
                  { head: "What", cell: (entry) => <span class="words">{titleOf(entry, names)}</span> },
                  {
                    head: "From what to what",
                    cell: (entry) => (
                      <ul class="changes">
                        {changesOf(entry, program.currency).map(({ name, from, to }) => (
                          <li key={name}>
                            <span class="soft">{name}: </span>
                            {from !== undefined && (
                              <>
                                <span class="from">{from}</span> <span class="unseen">became</span>
                                <span aria-hidden="true">→</span>{" "}
                              </>
                            )}
                            {to}
                          </li>
                        ))}
                      </ul>
                    ),
                  },
                ]}
                rows={data}
                rowKey={({ id }) => id}
                isStale={entries.isLoading}
              />
              <Pagination nextCursor={meta.nextCursor} />
            </div>
          )
        }
      </Loaded>
    </div>
  );
}
