import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import type { AuditEntry } from "../../api/types.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { DayFilter, Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, useFilters } from "../../url.ts";
import { groupDecisions } from "./audit-groups.ts";
import { actionTitle, changesOf, type Names, titleOf } from "./audit-labels.ts";

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

const kinds = [
  ["", "All actions"],
  ["commission", "Commission decisions"],
  ["policy", "Commission changes"],
  ["partner", "Partners"],
  ["program", "Settings"],
  ["key", "API keys"],
] as const;

const kindOf = (text: string | undefined) =>
  (["commission", "policy", "partner", "program", "key"] as const).find((kind) => kind === text);

/** Users seen so far, by id: only owners may list the members. */
const usersOf = new Map<number, Map<string, string>>();

function useSeenUsers(programId: number, entries: readonly AuditEntry[]): readonly (readonly [string, string])[] {
  const seen = usersOf.get(programId) ?? new Map<string, string>();
  usersOf.set(programId, seen);
  for (const { actor, actorName } of entries) seen.set(actor, actorName ?? "A former user");
  return [...seen].sort(([, a], [, b]) => a.localeCompare(b));
}

function OfProgram(): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { cursor, actor, kind, dateFrom, dateTo } = filters;
  const param = { programId: String(program.id) };
  const query = { actor, kind: kindOf(kind), dateFrom, dateTo, cursor };
  const entries = useQuery(`program ${program.id} audit ${JSON.stringify(query)}`, (signal) =>
    take(api.programs[":programId"].audit.$get({ param, query }, { init: { signal } })),
  );
  const users = useSeenUsers(program.id, entries.data?.data ?? []);
  const isFiltered = [actor, kind, dateFrom, dateTo].some(Boolean);
  const clear = () => setFilters({ actor: "", kind: "", dateFrom: "", dateTo: "" });
  return (
    <>
      <Filters>
        <SelectFilter
          label="Action"
          value={kind ?? ""}
          options={kinds}
          onChoose={(chosen) => setFilters({ kind: chosen })}
        />
        <SelectFilter
          label="User"
          value={actor ?? ""}
          options={[["", "All users"], ...users]}
          onChoose={(chosen) => setFilters({ actor: chosen })}
        />
        <DayFilter label="From" value={dateFrom ?? ""} onChoose={(day) => setFilters({ dateFrom: day })} />
        <DayFilter label="To" value={dateTo ?? ""} onChoose={(day) => setFilters({ dateTo: day })} />
        {isFiltered && (
          <Button look="quiet" onClick={clear}>
            Clear filters
          </Button>
        )}
        <ButtonLink href={addressWith(`/api/programs/${program.id}/audit`, { ...query, cursor: "", format: "csv" })}>
          Export as CSV
        </ButtonLink>
      </Filters>
      <Entries
        query={entries}
        empty={
          isFiltered ? "No changes match these filters." : "Changes to the program appear here, with who made them."
        }
        names={
          new Map(entries.data?.data.map(({ subject, subjectName }) => [subject, subjectName ?? undefined] as const))
        }
      />
    </>
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
  readonly names: Names;
}

function Entries({ query, empty, names }: EntriesProps): JSX.Element {
  const { program } = useProgram();
  return (
    <Loaded query={query} skeleton={<TableSkeleton rows={8} />}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <>
            <Empty title="No changes">{empty}</Empty>
            <Pagination nextCursor={meta.nextCursor} />
          </>
        ) : (
          <div class="stack audit">
            <Table
              caption="Changes, newest first"
              columns={[
                { head: "Time", cell: ([{ at }]) => <Instant at={at} /> },
                {
                  head: "User",
                  cell: ([entry]) => (
                    <span class="member">
                      {entry.actorName ?? <span class="soft">A former user</span>}
                      {"actorEmail" in entry && <small>{String(entry.actorEmail ?? "")}</small>}
                    </span>
                  ),
                },
                { head: "Action", cell: (group) => <Action group={group} names={names} /> },
                {
                  head: "Changes",
                  cell: ([entry, ...others]) => (
                    <Changes changes={changesOf(entry, program.currency).filter(isOf(others.length === 0))} />
                  ),
                },
              ]}
              rows={groupDecisions(data)}
              rowKey={([{ id }]) => id}
              isStale={query.isLoading}
            />
            <Pagination nextCursor={meta.nextCursor} />
          </div>
        )
      }
    </Loaded>
  );
}

type Group = ReturnType<typeof groupDecisions<AuditEntry>>[number];

/** Of decisions made together, only the reason is the same. */
const isOf =
  (isSingle: boolean) =>
  ({ name }: { readonly name: string }): boolean =>
    isSingle || name === "Reason";

function Action({ group, names }: { readonly group: Group; readonly names: Names }): JSX.Element {
  const { program } = useProgram();
  const [entry, ...others] = group;
  const commissionId = (subject: string) => /^commission (\d+)$/.exec(subject)?.[1];
  const link = ({ subject }: AuditEntry) => {
    const id = commissionId(subject);
    return id === undefined ? (
      names.get(subject)
    ) : (
      <a href={explainAddress(program.id, { commissionId: id })}>{names.get(subject) ?? id}</a>
    );
  };
  if (others.length === 0) {
    if (commissionId(entry.subject) === undefined) return <span class="words">{titleOf(entry, names)}</span>;
    return (
      <span class="words">
        {actionTitle(entry)} for {link(entry)}
      </span>
    );
  }
  return (
    <details class="words">
      <summary>{actionTitle(entry).replace("commission", `${group.length} commissions`)}</summary>
      <ul class="changes">
        {group.map((each) => (
          <li key={each.id}>{link(each)}</li>
        ))}
      </ul>
    </details>
  );
}

const Changes = ({ changes }: { readonly changes: ReturnType<typeof changesOf> }): JSX.Element => (
  <ul class="changes">
    {changes.map(({ name, from, to }) => (
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
);
