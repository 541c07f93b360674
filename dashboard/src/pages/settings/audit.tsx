import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { type Group as ProgramGroup, useGroups } from "../../api/groups.ts";
import { useMembers } from "../../api/members.ts";
import type { AuditEntry } from "../../api/types.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters, Segments } from "../../components/filters.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { DayParam, SelectParam } from "../../components/param-filters.tsx";
import { PartnerLink } from "../../components/partner-link.tsx";
import { shownName } from "../../components/partner-name.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate } from "../../format.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { addressWith, partnerAddress, payoutAddress, programAddress, useFilters, webhookAddress } from "../../url.ts";
import { groupDecisions } from "./audit-groups.ts";
import { bonusText, changesOf, titleParts } from "./audit-labels.ts";

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
  ["commission", "Commission decisions"],
  ["sale", "Sale corrections"],
  ["policy", "Commission changes"],
  ["partner", "Partners"],
  ["payout", "Payouts"],
  ["adjustment", "Adjustments"],
  ["program", "Settings"],
  ["key", "API keys"],
  ["group", "Groups"],
  ["coupon", "Coupons"],
  ["bonus", "Bonuses"],
  ["claim", "Claims"],
  ["offer", "Customer offers"],
  ["link", "Codes"],
  ["customer", "Customers"],
  ["rows", "Imports"],
  ["application", "Applications"],
  ["join_page", "Join page"],
  ["embed", "Referral page"],
  ["terms", "Terms"],
  ["partner_invitation", "Invitations of partners"],
  ["partner_access", "Access of partners"],
] as const;

const kindOf = (text: string | undefined) => kinds.map(([kind]) => kind).find((kind) => kind === text);

/** Former members seen so far, by id. */
const formerUsers = new Map<number, Map<string, string>>();

function useUsers(programId: number, entries: readonly AuditEntry[]): readonly (readonly [string, string])[] {
  const members = useMembers().data ?? [];
  const seen = formerUsers.get(programId) ?? new Map<string, string>();
  formerUsers.set(programId, seen);
  for (const { actor, actorName } of entries) seen.set(actor, actorName ?? "A former user");
  const users = new Map([...seen, ...members.map(({ userId, name }) => [userId, name] as const)]);
  return [...users].sort(([, a], [, b]) => a.localeCompare(b));
}

function OfProgram(): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { cursor, actor, kind, dateFrom, dateTo } = filters;
  const query = { actor, kind: kindOf(kind), dateFrom, dateTo, cursor };
  const entries = useProgramQuery("audit", query, (call, init) =>
    take(api.programs[":programId"].audit.$get(call, init)),
  );
  const users = useUsers(program.id, entries.data?.data ?? []);
  const groups = useGroups().data;
  const isFiltered = [actor, kind, dateFrom, dateTo].some(Boolean);
  const clear = () => setFilters({ actor: "", kind: "", dateFrom: "", dateTo: "" });
  return (
    <>
      <Filters>
        <SelectParam name="kind" label="Action" options={[["", "All actions"], ...kinds]} />
        <SelectParam name="actor" label="User" options={[["", "All users"], ...users]} />
        <DayParam name="dateFrom" label="From" />
        <DayParam name="dateTo" label="To" />
        {isFiltered && (
          <Button look="quiet" onClick={clear}>
            Clear filters
          </Button>
        )}
        <ExportButton
          label="Export audit trail"
          call={() =>
            api.programs[":programId"].audit.$get({
              param: paramOf(program),
              query: { ...query, cursor: undefined, format: "csv" },
            })
          }
        />
      </Filters>
      <Entries
        query={entries}
        groups={groups}
        empty={
          isFiltered ? "No changes match these filters." : "Changes to the program appear here, with who made them."
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
  return <Entries query={entries} empty="Changes to the workspace, its members and invitations appear here." />;
}

interface EntriesProps {
  readonly query: Query<{
    readonly data: readonly Entry[];
    readonly meta: { readonly nextCursor: string | null };
  }>;
  /** The program's groups, to name them. Undefined for changes to a workspace. */
  readonly groups?: readonly ProgramGroup[] | undefined;
  readonly empty: string;
}

function Entries({ query, groups, empty }: EntriesProps): JSX.Element {
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
                      {entry.actorName ?? (
                        <span class="soft">{entry.actor === "operator" ? "The operator" : "A former user"}</span>
                      )}
                      {"actorEmail" in entry && <small>{String(entry.actorEmail ?? "")}</small>}
                    </span>
                  ),
                },
                { head: "Action", cell: (group) => <Action group={group} /> },
                {
                  head: "Changes",
                  cell: ([entry, ...others]) => (
                    <>
                      <Changes changes={changesOf(entry, { ...program, groups }).filter(isOf(others.length === 0))} />
                      <Via of={entry} />
                    </>
                  ),
                },
              ]}
              rows={groupDecisions(data)}
              rowKey={([{ id }]) => id}
              isStale={query.isBusy}
            />
            <Pagination nextCursor={meta.nextCursor} />
          </div>
        )
      }
    </Loaded>
  );
}

/** The key that proposed the change. */
function Via({ of: { via } }: { readonly of: Entry }): JSX.Element | null {
  if (via == null) return null;
  const { keyName, reason, changed } = via;
  return (
    <p class="soft breakable">
      Proposed by the key <bdi>{keyName}</bdi>
      {changed && ", with other terms"}
      {reason !== null && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
    </p>
  );
}

interface Entry extends Omit<AuditEntry, "partnerName" | "currency" | "via"> {
  /** Set for changes of members and invitations. */
  readonly subjectEmail?: string | null;
  /** Set for failed payments, and for new customers and coupons. */
  readonly partnerName?: string | null;
  /** Set for commissions and payouts. */
  readonly currency?: string | null;
  /** Set for changes that a key proposed. */
  readonly via?: AuditEntry["via"];
}

type Group = ReturnType<typeof groupDecisions<Entry>>[number];

/**
 * True for changes to show. Decisions that were made in one call share only their reason and note, so a group shows
 * only these two.
 */
const isOf =
  (isSingle: boolean) =>
  ({ name }: { readonly name: string }): boolean =>
    isSingle || name === "Reason" || name === "Note to the partner";

function addressOf(programId: number, { subject, subjectName, after }: Entry): string | undefined {
  const [kind, id = ""] = subject.split(" ");
  switch (kind) {
    case "sale":
      return explainAddress(programId, { saleId: id });
    case "commission":
      return explainAddress(programId, { commissionId: id });
    case "partner":
      return partnerAddress(programId, Number(id));
    case "payout":
      return payoutAddress(programId, Number(id));
    case "coupon":
      return subjectName == null
        ? undefined
        : addressWith(programAddress(programId, "partners/coupons"), { code: subjectName });
    case "bonus":
      return programAddress(programId, "partners/bonuses");
    case "claim":
      return after?.saleId === undefined
        ? addressWith(programAddress(programId, "partners/claims"), {
            status: "all",
            partnerId: String(after?.partnerId),
          })
        : explainAddress(programId, { saleId: String(after.saleId) });
    case "webhook":
      return webhookAddress(programId, id);
    case "customer":
      return subjectName == null ? undefined : explainAddress(programId, { customerKey: subjectName });
    default:
      return undefined;
  }
}

function nameOf(entry: Entry): string {
  const { action, subject, subjectName, subjectEmail } = entry;
  const [kind, id = ""] = subject.split(" ");
  if (kind === "bonus") return bonusText(entry) ?? id;
  if (subjectName != null && (action === "claim.opened" || action === "claim.declined")) return formatDate(subjectName);
  return subjectName ?? subjectEmail ?? (kind === "member" || kind === "invitation" ? "an unknown address" : id);
}

function Subject({ entry }: { readonly entry: Entry }): JSX.Element {
  const { program } = useProgram();
  const href = addressOf(program.id, entry);
  const name = <bdi>{shownName(nameOf(entry), entry.subject)}</bdi>;
  return href === undefined ? name : <a href={href}>{name}</a>;
}

const NamedPartner = ({ entry: { partnerName, after } }: { readonly entry: Entry }): JSX.Element => (
  <PartnerLink id={Number(after?.partnerId)} name={partnerName} />
);

const groupTitles: Readonly<Record<string, string>> = {
  "commission.approved": "Approved",
  "commission.rejected": "Rejected",
  "commission.held": "Held for review",
  "commission.released": "Released",
  "customer.imported": "Imported",
};

function Action({ group }: { readonly group: Group }): JSX.Element {
  const [entry, ...others] = group;
  if (others.length === 0) {
    return (
      <span class="words">
        {titleParts(entry).map((part) =>
          typeof part === "string" ? (
            part
          ) : part.of === "subject" ? (
            <Subject entry={entry} />
          ) : (
            <NamedPartner entry={entry} />
          ),
        )}
      </span>
    );
  }
  return (
    <details class="words">
      <summary>
        {groupTitles[entry.action]} {group.length} {entry.action.startsWith("customer") ? "customers" : "commissions"}
      </summary>
      <ul class="changes">
        {group.map((each) => (
          <li key={each.id}>
            <Subject entry={each} />
          </li>
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
            <bdi class="from">{from}</bdi> <span class="unseen">changed to</span>
            <span aria-hidden="true">→</span>{" "}
          </>
        )}
        {to}
      </li>
    ))}
  </ul>
);
