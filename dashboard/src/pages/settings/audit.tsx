import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAllPartners } from "../../api/partners.ts";
import type { AuditEntry } from "../../api/types.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Filters, Segments } from "../../components/filters.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { changesOf, titleOf } from "./audit-labels.ts";

export function Audit(): JSX.Element {
  const { may } = useProgram();
  const [{ of = "program" }, setFilters] = useFilters();
  return (
    <div class="settings wide">
      {may("owner") && (
        <Filters>
          <Segments
            label="Changes to"
            value={of}
            options={[
              ["program", "Program"],
              ["workspace", "Workspace"],
            ]}
            onChoose={(chosen) => setFilters({ of: chosen === "program" ? undefined : chosen })}
          />
        </Filters>
      )}
      {of === "workspace" && may("owner") ? <OfWorkspace /> : <OfProgram />}
    </div>
  );
}

function OfProgram(): JSX.Element {
  const { program } = useProgram();
  const [{ cursor }] = useFilters();
  const { data: partners = [] } = useAllPartners();
  const entries = useQuery(`program ${program.id} audit ${cursor}`, (signal) =>
    take(
      api.programs[":programId"].audit.$get(
        { param: { programId: String(program.id) }, query: { cursor } },
        { init: { signal } },
      ),
    ),
  );
  return (
    <Entries
      query={entries}
      empty="Changes to the program appear here, with who made them."
      names={new Map(partners.map(({ id, name }) => [`partner ${id}`, name]))}
    />
  );
}

function OfWorkspace(): JSX.Element {
  const { workspace } = useProgram();
  const [{ cursor }] = useFilters();
  const entries = useQuery(`audit of ${workspace.id} ${cursor}`, (signal) =>
    take(
      api.workspaces[":workspaceId"].audit.$get(
        { param: { workspaceId: workspace.id }, query: { cursor } },
        { init: { signal } },
      ),
    ),
  );
  const names = entries.data?.data.map(
    ({ subject, subjectName, subjectEmail }) => [subject, subjectName ?? subjectEmail ?? "an unknown address"] as const,
  );
  return (
    <Entries
      query={entries}
      empty="Changes to members and invitations appear here, with who made them."
      names={new Map(names)}
    />
  );
}

interface EntriesProps {
  readonly query: Query<{
    readonly data: readonly AuditEntry[];
    readonly meta: { readonly nextCursor: string | null };
  }>;
  readonly empty: string;
  readonly names: ReadonlyMap<string, string>;
}

function Entries({ query, empty, names }: EntriesProps): JSX.Element {
  const { program } = useProgram();
  return (
    <Loaded query={query} skeleton={<TableSkeleton rows={8} />}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Empty title="No changes yet">{empty}</Empty>
        ) : (
          <div class="stack audit">
            <Table
              caption="Changes, newest first"
              columns={[
                { head: "Time", cell: ({ at }) => <Instant at={at} /> },
                {
                  head: "User",
                  cell: (entry) => (
                    <span class="member">
                      {entry.actorName ?? <span class="soft">A former user</span>}
                      {"actorEmail" in entry && <small>{String(entry.actorEmail ?? "")}</small>}
                    </span>
                  ),
                },
                { head: "Action", cell: (entry) => <span class="words">{titleOf(entry, names)}</span> },
                {
                  head: "Changes",
                  cell: (entry) => (
                    <ul class="changes">
                      {changesOf(entry, program.currency).map(({ name, from, to }) => (
                        <li key={name}>
                          <span class="soft">{name}: </span>
                          {from !== undefined && (
                            <>
                              <span class="from">{from}</span> <span class="unseen">changed to</span>
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
              isStale={query.isLoading}
            />
            <Pagination nextCursor={meta.nextCursor} />
          </div>
        )
      }
    </Loaded>
  );
}
