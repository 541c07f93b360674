import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import type { Group } from "../../api/groups.ts";
import type { PartnerWithBalances } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { LatePolicyForm } from "../../forms/late-policy-form.tsx";
import { inForce, type Policy, usePolicies } from "../../forms/policy.ts";
import type { PolicyOwner } from "../../forms/policy-form.tsx";
import { describePolicy } from "../../forms/policy-text.tsx";
import { nameInText } from "../../named-by-code.ts";
import { nextStepText } from "../../next-step.ts";
import { paramOf, useProgram } from "../../session.tsx";

interface PartnerPolicyProps {
  readonly partner: PartnerWithBalances;
  readonly groups: readonly Group[] | undefined;
}

export function PartnerPolicy({ partner, groups }: PartnerPolicyProps): JSX.Element {
  const { program } = useProgram();
  const policies = usePolicies({ partnerId: String(partner.id), limit: "1" });
  const group = groups?.find(({ id }) => id === partner.groupId);
  const groupPolicy = inForce(group?.policy);
  return (
    <Card title="Commission">
      <Loaded query={policies} skeleton={<Skeleton lines={2} />}>
        {({ data: [own], meta }) => (
          <>
            <OwnPolicy
              owner={{ partnerId: partner.id }}
              name={partner.name}
              own={inForce(own)}
              common={groupPolicy ?? inForce(meta.current)}
              commonOwner={groupPolicy ? `the group ${nameInText(group?.name ?? "")}` : "the program"}
            />
            {partner.next && <p class="soft">{nextStepText(partner.next, program.currency)}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface OwnPolicyProps {
  readonly owner: PolicyOwner;
  /** Name of the partner or group. */
  readonly name: string;
  readonly own: Policy | undefined;
  /** The policy that applies if the partner or group has no policy of its own. */
  readonly common: Policy | undefined;
  readonly commonOwner?: string;
}

/** Shows and edits a partner's or a group's own policy. */
export function OwnPolicy({ owner, name, own, common, commonOwner = "the program" }: OwnPolicyProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const end = useAction(
    () => {
      const param = paramOf(program);
      const json = { type: "none" as const, ...owner };
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json }));
    },
    {
      done: "Custom commission removed.",
      refreshes: [`program ${program.id} `],
      onDone: () => setIsRemoving(false),
    },
  );
  const ofAll =
    common === undefined
      ? "The program pays no commission."
      : `Commission of ${commonOwner}: ${describePolicy(common)}.`;
  return (
    <>
      <p>{own === undefined ? ofAll : `Custom commission: ${describePolicy(own)}.`}</p>
      {mayChange("admin") && !isEditing && (
        <div class="row">
          <Button onClick={() => setIsEditing(true)}>
            {own === undefined ? "Set custom commission" : "Change commission"}
          </Button>
          {own !== undefined && (
            <Button look="danger" onClick={() => setIsRemoving(true)}>
              Remove custom commission
            </Button>
          )}
        </div>
      )}
      {isRemoving && (
        <Dialog title="Remove custom commission?" onClose={() => setIsRemoving(false)}>
          <p class="breakable">
            {common === undefined
              ? `New sales of ${nameInText(name)} earn nothing: the program pays no commission.`
              : `New sales of ${nameInText(name)} earn the commission of ${commonOwner}: ${describePolicy(common)}.`}{" "}
            Earlier commissions keep their amounts.
          </p>
          <div class="row">
            <Button look="destructive" isPending={end.isPending} onClick={() => end.run(undefined)}>
              Remove custom commission
            </Button>
            <Button onClick={() => setIsRemoving(false)}>Cancel</Button>
          </div>
        </Dialog>
      )}
      {isEditing && (
        <LatePolicyForm
          owner={owner}
          current={own ?? common}
          beside={<Button onClick={() => setIsEditing(false)}>Cancel</Button>}
          onDone={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
