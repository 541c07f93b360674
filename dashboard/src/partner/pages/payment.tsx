import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { take } from "../../api/client.ts";
import { Failure, fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { DayOf } from "../../components/time.tsx";
import { maskedAccount, PaymentFields, paymentMethodTitles, paymentOf } from "../../forms/payment-fields.tsx";
import { ProofFields, proofOf } from "../../forms/proof-fields.tsx";
import { partnerKey, usePartner } from "../access.tsx";
import { partnerApi } from "../client.ts";
import type { OwnProfile } from "./profile-query.ts";

interface PaymentProps {
  readonly profile: OwnProfile;
}

export function Payment({ profile }: PaymentProps): JSX.Element {
  const { payment, role } = profile;
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Card
      title="Where you are paid"
      actions={
        role === "manage" &&
        !isChanging && <Button onClick={() => setIsChanging(true)}>{payment === null ? "Add…" : "Change…"}</Button>
      }
    >
      {isChanging && <ChangePayment profile={profile} onClose={() => setIsChanging(false)} />}
      {payment === null ? <Unknown profile={profile} /> : <Known payment={payment} />}
    </Card>
  );
}

const Unknown = ({ profile: { email } }: PaymentProps): JSX.Element => (
  <p class="soft">
    {email === null
      ? "The program doesn't know how to pay you yet. Add your payment details."
      : `No payment details yet. The program pays to ${email}, or waits for details.`}
  </p>
);

function Known({ payment }: { readonly payment: NonNullable<OwnProfile["payment"]> }): JSX.Element {
  const { method, last4, setAt, details } = payment;
  const facts = [
    ["Method", paymentMethodTitles[method]],
    ["Account", details?.account ?? maskedAccount(last4)],
    ["Account holder", details?.holder],
    ["Country", details?.country],
    ["Tax ID", details?.taxId],
    ["Address", details?.address],
  ] as const;
  return (
    <>
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value != null && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd class="breakable">
                  <bdi>{value}</bdi>
                </dd>
              </Fragment>
            ),
        )}
        <dt>Since</dt>
        <dd>
          <DayOf at={setAt} />
        </dd>
      </dl>
      {details === null && <p class="soft">Only the account that entered these details can see them in full.</p>}
      <p class="soft">After a change, the program can check the details before its next payment.</p>
    </>
  );
}

function atAccount(error: unknown): never {
  throw error instanceof Failure && error.code === "invalid_account"
    ? fieldError("account", "Check this for a typing error. It isn't valid for the chosen method.")
    : error;
}

/** Changes the payment details. Needs the password, so that a stolen session can't redirect payouts. */
function ChangePayment({ profile, onClose }: PaymentProps & { readonly onClose: () => void }): JSX.Element {
  const { param } = usePartner();
  const { payment: route } = partnerApi.programs[":programId"].partners[":partnerId"];
  const save = useAction(
    async (values: Values) =>
      take(route.$put({ param, json: { ...paymentOf(values), ...proofOf(values) } })).catch(atAccount),
    {
      failsIn: "form",
      done: "Saved. The program can check new details before it uses them.",
      refreshes: [`${partnerKey(param)}profile`],
      onDone: onClose,
    },
  );
  return (
    <Form action={save} submit="Save" onCancel={onClose}>
      <PaymentFields holder={profile.payment?.details?.holder ?? profile.name} />
      <ProofFields
        label="Account password"
        hint="After your first payment, the program can check new details before it uses them."
      />
    </Form>
  );
}
