import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useGroups } from "../../api/groups.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { LatePolicyForm } from "../../forms/late-policy-form.tsx";
import { inForce, type Policy, usePolicies } from "../../forms/policy.ts";
import type { PolicyOwner } from "../../forms/policy-form.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import type { ChangeProps } from "./change-props.ts";
import { ownerOf } from "./use-proposal.ts";

export default function ProposedPolicy({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element | null {
  const owner = ownerOf(of);
  if (!isOpen) return null;
  return (
    <Dialog title="Change the commission" look="drawer" onClose={onClose}>
      {of.body.type === "none" ? (
        <End owner={owner} onDone={onDone} onClose={onClose} />
      ) : (
        <Terms of={of} owner={owner} onDone={onDone} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface OwnedProps extends Pick<ChangeProps, "onDone" | "onClose"> {
  readonly owner: PolicyOwner | undefined;
}

function Terms({ of, owner, onDone, onClose }: OwnedProps & Pick<ChangeProps, "of">): JSX.Element {
  const { program } = useProgram();
  const { partnerId, groupId } = owner ?? {};
  const policies = usePolicies({ limit: "1", ...(partnerId !== undefined && { partnerId: String(partnerId) }) });
  const groups = useGroups();
  const terms = of.body as Partial<Policy>;
  const proposed = { ...terms, currency: terms.currency ?? program.currency } as Policy;
  return (
    <Loaded query={policies} skeleton={<Skeleton lines={9} />}>
      {({ data: [own], meta }) => {
        const ofGroup = groups.data?.find(({ id }) => id === groupId)?.policy;
        const current = inForce(partnerId === undefined ? (groupId === undefined ? meta.current : ofGroup) : own);
        return partnerId === undefined && groups.data === undefined ? (
          <Skeleton lines={9} />
        ) : (
          <LatePolicyForm
            {...(owner !== undefined && { owner })}
            current={current ?? inForce(meta.current)}
            others={owner ? undefined : { ...meta, groups: groups.data ?? [] }}
            proposed={proposed}
            beside={<Button onClick={onClose}>Cancel</Button>}
            onDone={onDone}
          />
        );
      }}
    </Loaded>
  );
}

function End({ owner, onDone, onClose }: OwnedProps): JSX.Element {
  const { program } = useProgram();
  const end = useAction(
    () => {
      const json = { type: "none" as const, ...owner };
      return take(api.programs[":programId"]["commission-policy"].$put({ param: paramOf(program), json }));
    },
    { done: "Commission removed.", refreshes: [`program ${program.id} `], onDone },
  );
  return (
    <>
      <p class="soft">Commissions already earned stay.</p>
      <div class="row">
        <Button look="danger" isPending={end.isPending} onClick={() => end.run(undefined)}>
          {owner === undefined ? "Stop paying commission" : "Remove custom commission"}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </>
  );
}
