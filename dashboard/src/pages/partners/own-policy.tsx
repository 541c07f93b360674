import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import type { Partner } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { LatePolicyForm } from "../../forms/late-policy-form.tsx";
import { describePolicy, inForce, type Policy, usePolicies } from "../../forms/policy.ts";
import { paramOf, useProgram } from "../../session.tsx";

export function PartnerPolicy({ partner }: { readonly partner: Partner }): JSX.Element {
  const policies = usePolicies({ partnerId: String(partner.id), limit: "1" });
  return (
    <Card title="Commission">
      <Loaded query={policies} skeleton={<Skeleton lines={2} />}>
        {({ data: [own], meta }) => <OwnPolicy partner={partner} own={inForce(own)} program={inForce(meta.current)} />}
      </Loaded>
    </Card>
  );
}

interface OwnPolicyProps {
  readonly partner: Partner;
  readonly own: Policy | undefined;
  readonly program: Policy | undefined;
}

function OwnPolicy({ partner, own, program: common }: OwnPolicyProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const end = useAction(
    () => {
      const param = paramOf(program);
      const json = { type: "none" as const, partnerId: partner.id };
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json }));
    },
    {
      done: `${partner.name} now earns the program's commission.`,
      refreshes: [`program ${program.id} `],
      onDone: () => setIsRemoving(false),
    },
  );
  const ofAll =
    common === undefined ? "The program pays no commission." : `Program commission: ${describePolicy(common)}.`;
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
              ? `${partner.name} earns nothing on new sales: the program pays no commission.`
              : `${partner.name} earns the program's commission on new sales: ${describePolicy(common)}.`}{" "}
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
          partner={partner}
          current={own ?? common}
          beside={<Button onClick={() => setIsEditing(false)}>Cancel</Button>}
          onDone={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
