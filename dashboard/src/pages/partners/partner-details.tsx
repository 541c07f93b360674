import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useGroups } from "../../api/groups.ts";
import { type Partner, type PartnerWithBalances, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Card } from "../../components/card.tsx";
import { Code } from "../../components/copy.tsx";
import { Form, TextField } from "../../components/form.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { withScheme } from "../../forms/with-scheme.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { PartnerPolicy } from "./own-policy.tsx";
import { PartnerCodes } from "./partner-codes.tsx";

const PartnerAccess = lazy(
  () => import("./partner-access.tsx"),
  <div class="card">
    <Skeleton lines={3} />
  </div>,
);

const PartnerCoupons = lazy(
  () => import("./coupons/partner-coupons.tsx"),
  <div class="card">
    <Skeleton lines={3} />
  </div>,
);

const PartnerPayment = lazy(
  () => import("./partner-payment.tsx"),
  <div class="card">
    <Skeleton lines={2} />
  </div>,
);

const PartnerGroup = lazy(
  () => import("./partner-group.tsx"),
  <div class="card">
    <Skeleton lines={2} />
  </div>,
);

const PartnerRisk = lazy(
  () => import("./partner-risk.tsx"),
  <div class="card">
    <Skeleton lines={2} />
  </div>,
);

export function PartnerDetails({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  const { may } = useProgram();
  const groups = useGroups();
  const { link, externalId, destinationUrl, createdAt } = partner;
  return (
    <>
      <Card title="Details">
        {link !== null && <Code text={link} what="link" />}
        <dl class="facts">
          {externalId !== null && (
            <>
              <dt>Your ID</dt>
              <dd>
                <code>{externalId}</code>
              </dd>
            </>
          )}
          {!may("admin") && (
            <>
              <dt>Landing page</dt>
              <dd>{destinationUrl ?? "The program's website"}</dd>
            </>
          )}
          <dt>Added</dt>
          <dd>
            <Instant at={createdAt} />
          </dd>
        </dl>
        {may("admin") && <EditDetails partner={partner} />}
      </Card>
      <PartnerCodes partner={partner} />
      <PartnerCoupons partner={partner} />
      {may("admin") && <PartnerPayment partner={partner} />}
      {may("admin") && <PartnerAccess partner={partner} />}
      <PartnerGroup partner={partner} groups={groups} />
      <PartnerPolicy partner={partner} groups={groups.data} />
      {may("admin") && <PartnerRisk partner={partner} />}
    </>
  );
}

function EditDetails({ partner: { id, name, email, destinationUrl } }: { readonly partner: Partner }): JSX.Element {
  const { program } = useProgram();
  const saved = { name, email: email ?? "", destinationUrl: destinationUrl ?? "" };
  const draft = useDraft(`program ${program.id} partner ${id}`, saved);
  const save = useAction(
    () => {
      const param = { ...paramOf(program), partnerId: String(id) };
      const json = { ...draft.changes, destinationUrl: withScheme(draft.changes.destinationUrl?.trim()) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json }));
    },
    { failsIn: "form", done: "Details saved.", refreshes: partnerQueryKeys(program.id), onDone: draft.markSaved },
  );
  return (
    <Form action={save} submit="Save details" draft={draft}>
      <TextField name="name" label="Name" />
      <TextField name="email" label="Email" type="email" isOptional />
      <TextField
        name="destinationUrl"
        label="Landing page"
        inputMode="url"
        hint="Where the link leads. Default: the program's website."
        isOptional
      />
    </Form>
  );
}
