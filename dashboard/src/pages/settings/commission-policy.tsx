import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useGroups } from "../../api/groups.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { inForce, type Policy, type PolicyVersion, usePolicies } from "../../forms/policy.ts";
import { PolicyForm } from "../../forms/policy-form.tsx";
import { describePolicy } from "../../forms/policy-text.tsx";
import { type Others, unaffectedText } from "../../forms/unaffected.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";

export function CommissionPolicy(): JSX.Element {
  const [{ cursor }] = useFilters();
  const policies = usePolicies({ cursor });
  const groups = useGroups();
  const skeleton = (
    <div class="card">
      <Skeleton lines={9} />
    </div>
  );
  return (
    <div class="settings">
      <Loaded query={policies} skeleton={skeleton}>
        {({ data, meta }) => (
          <Loaded query={groups} skeleton={skeleton}>
            {(all) => (
              <>
                <InForce policy={inForce(meta.current)} others={{ ...meta, groups: all }} />
                {data.length > 0 && <Versions versions={data} nextCursor={meta.nextCursor} isStale={policies.isBusy} />}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

interface InForceProps {
  readonly policy: Policy | undefined;
  readonly others: Others;
}

function InForce({ policy, others }: InForceProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const [isEnding, setIsEnding] = useState(false);
  const unaffected = unaffectedText(others);
  const except = unaffected && `, except those of ${unaffected}`;
  const end = useAction(
    () => {
      const param = paramOf(program);
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json: { type: "none" as const } }));
    },
    {
      done: `New sales no longer earn a commission${except}.`,
      refreshes: [`program ${program.id} `],
      onDone: () => setIsEnding(false),
    },
  );
  const isForeign = policy?.currency != null && policy.currency !== program.currency;
  return (
    <Card
      title="Commission"
      lead={
        <span class="breakable">
          {policy === undefined
            ? `No commission is set. Sales earn nothing${except}.`
            : `Current: ${describePolicy(policy)}.${unaffected && ` Doesn't apply to ${unaffected}.`}`}
        </span>
      }
    >
      {isForeign && (
        <Notice look="warn">
          This commission's amounts are in {policy.currency}, but the program's currency is {program.currency}. Only
          sales in {policy.currency} earn a commission. Set it again with amounts in {program.currency}.
        </Notice>
      )}
      {mayChange("admin") && (
        <PolicyForm
          current={policy}
          others={others}
          beside={
            policy !== undefined && (
              <Button look="danger" onClick={() => setIsEnding(true)}>
                Stop paying commission…
              </Button>
            )
          }
        />
      )}
      {isEnding && (
        <Dialog title="Stop paying commission?" onClose={() => setIsEnding(false)}>
          <p class="soft breakable">New sales won't earn anything{except}. Commissions already earned stay.</p>
          <div class="row">
            <Button look="danger" isPending={end.isPending} onClick={() => end.run(undefined)}>
              Stop paying commission
            </Button>
            <Button onClick={() => setIsEnding(false)}>Cancel</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

interface VersionsProps {
  readonly versions: readonly PolicyVersion[];
  readonly nextCursor: string | null;
  readonly isStale: boolean;
}

function Versions({ versions, nextCursor, isStale }: VersionsProps): JSX.Element {
  return (
    <section class="stack">
      <h2>Versions</h2>
      <p class="soft">Each sale uses the version in effect at the time of the sale, permanently.</p>
      <Table
        caption="Versions, newest first"
        columns={[
          { head: "Version", cell: ({ version }) => version },
          {
            head: "Partners",
            cell: ({ partnerName, groupName }) =>
              groupName === null ? <bdi>{partnerName ?? "All partners"}</bdi> : <bdi>Group {groupName}</bdi>,
          },
          {
            head: "Commission",
            cell: (policy) => (
              <span class="words member">
                {describePolicy(policy)}
                {policy.replaced && <small>Was {describePolicy(policy.replaced)}</small>}
              </span>
            ),
          },
          { head: "In effect from", cell: ({ effectiveFrom }) => <Instant at={effectiveFrom} /> },
          { head: "Changed by", cell: ({ setByName }) => setByName ?? "–" },
        ]}
        rows={versions}
        rowKey={({ version }) => version}
        isStale={isStale}
      />
      <Pagination nextCursor={nextCursor} />
    </section>
  );
}
