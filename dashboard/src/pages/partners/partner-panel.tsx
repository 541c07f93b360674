import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import type { Partner } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, TextField } from "../../components/form.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { describePolicy, latestPolicy, type Policy, usePolicies } from "../../forms/policy.ts";
import { PolicyForm } from "../../forms/policy-form.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress, statementAddress } from "../../url.ts";
import { useDraft } from "../../use-draft.ts";
import { partnerQueryKeys } from "./queries.ts";
import { PartnerBadge, StatusButton } from "./status-button.tsx";

interface PartnerPanelProps {
  readonly partner: Partner;
  readonly onClose: () => void;
}

export function PartnerPanel({ partner, onClose }: PartnerPanelProps): JSX.Element {
  const { program, may } = useProgram();
  const policies = usePolicies(program);
  const commissions = `${programAddress(program.id, "commissions")}?partnerId=${partner.id}`;
  return (
    <Dialog title={partner.name} look="drawer" onClose={onClose}>
      <div class="row">
        <PartnerBadge status={partner.status} />
        {may("admin") && <StatusButton partner={partner} />}
        <ButtonLink href={commissions}>View commissions</ButtonLink>
        <ButtonLink href={statementAddress(program.id, partner.id)}>View statement</ButtonLink>
      </div>
      {partner.link !== null && <Code text={partner.link} what="link" />}
      <dl class="facts">
        <dt>Code</dt>
        <dd>
          <code>{partner.code}</code>
        </dd>
        <dt>Email</dt>
        <dd>{partner.email ?? "None"}</dd>
        <dt>Landing page</dt>
        <dd>{partner.destinationUrl ?? "The program's website"}</dd>
        <dt>Added</dt>
        <dd>
          <Instant at={partner.createdAt} />
        </dd>
      </dl>
      {may("admin") && <Rename partner={partner} />}
      <section class="stack">
        <h3>Commission</h3>
        <Loaded query={policies} skeleton={<Skeleton lines={2} />}>
          {(versions) => (
            <OwnPolicy
              partner={partner}
              own={latestPolicy(versions, partner.id)}
              program={latestPolicy(versions, null)}
            />
          )}
        </Loaded>
      </section>
    </Dialog>
  );
}

function Rename({ partner: { id, name } }: { readonly partner: Partner }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} partner ${id}`, { name });
  const rename = useAction(
    () => {
      const param = { programId: String(program.id), partnerId: String(id) };
      const json = { name: draft.values.name };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json }));
    },
    {
      failsIn: "form",
      done: "Name saved.",
      refreshes: partnerQueryKeys(program.id),
      onDone: draft.markSaved,
    },
  );
  return (
    <Form action={rename} submit="Save name" draft={draft}>
      <TextField name="name" label="Name" />
    </Form>
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
  const end = useAction(
    () => {
      const param = { programId: String(program.id) };
      const json = { type: "none" as const, partnerId: partner.id };
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json }));
    },
    { done: `${partner.name} now earns the program's commission.`, refreshes: [`program ${program.id} `] },
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
            <Button look="danger" isPending={end.isPending} onClick={() => end.run(undefined)}>
              Remove custom commission
            </Button>
          )}
        </div>
      )}
      {isEditing && (
        <PolicyForm
          partner={partner}
          current={own ?? common}
          beside={<Button onClick={() => setIsEditing(false)}>Cancel</Button>}
          onDone={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
