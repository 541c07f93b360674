import { Fragment, type JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { type Partner, type PartnerWithBalances, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { PartnerLink } from "../../components/partner-link.tsx";
import { DayOf } from "../../components/time.tsx";
import { maskedAccount, PaymentFields, paymentMethodTitles, paymentOf } from "../../forms/payment-fields.tsx";
import { type Program, paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";

const AskForDetails = lazy(
  async () => ({ default: (await import("../../forms/ask-for-details.tsx")).AskForDetails }),
  null,
);

const route = api.programs[":programId"].partners[":partnerId"].payment;

export default function PartnerPayment({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  const { may, program } = useProgram();
  const { payment, sharesAccountWith = [] } = partner;
  const [isChanging, setIsChanging] = useState(false);
  const [{ at }] = useFilters();
  const isAsked = at === "payment";
  const top = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => top.current?.scrollIntoView({ block: "center" }), []);
  return (
    <Card
      title="Payment details"
      actions={may("owner") && !isChanging && <Button onClick={() => setIsChanging(true)}>Change…</Button>}
    >
      {isAsked && (
        <p class="soft" ref={top}>
          If the partner confirms the change, include their line when you finalize a payout.
        </p>
      )}
      {isChanging && <ChangePayment partner={partner} onClose={() => setIsChanging(false)} />}
      {payment == null ? (
        <>
          <p class="soft">No payment details yet. {withoutDetails(program, partner)}</p>
          <AskForDetails label="Ask for them" partnerIds={[partner.id]} />
        </>
      ) : (
        <dl class="facts">
          <dt>Method</dt>
          <dd>{paymentMethodTitles[payment.method]}</dd>
          <dt>Account</dt>
          <dd>
            <bdi>{maskedAccount(payment.last4)}</bdi>
          </dd>
          {payment.earlierAccount !== null && (
            <>
              <dt>Before</dt>
              <dd>
                {paymentMethodTitles[payment.earlierAccount.method]}{" "}
                <bdi>{maskedAccount(payment.earlierAccount.last4)}</bdi>
              </dd>
            </>
          )}
          <dt>Since</dt>
          <dd>
            <DayOf at={payment.setAt} />
          </dd>
          <dt>Set by</dt>
          <dd class="breakable">
            <bdi>{payment.setBy ?? "A deleted account"}</bdi>
          </dd>
        </dl>
      )}
      {sharesAccountWith.length > 0 && (
        <Notice look="warn">
          Paid to the same {payment == null ? "address" : "account"} as{" "}
          {sharesAccountWith.map(({ id, name }, i) => (
            <Fragment key={id}>
              {i > 0 && ", "}
              <PartnerLink id={id} name={name} />
            </Fragment>
          ))}
          .
        </Notice>
      )}
    </Card>
  );
}

function withoutDetails(
  { requireDetails }: Pick<Program, "requireDetails">,
  { email }: Pick<Partner, "email">,
): string {
  if (requireDetails) return "Until there are, payouts leave this partner out.";
  return email === null
    ? "There's no email address either, so there's no way to pay this partner."
    : "Payouts use the partner's email address.";
}

function ChangePayment({ partner, onClose }: { readonly partner: Partner; readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const save = useAction(
    async (values: Values) => {
      const param = { ...paramOf(program), partnerId: String(partner.id) };
      return await take(route.$put({ param, json: paymentOf(values) }));
    },
    { failsIn: "form", done: "Payment details saved.", refreshes: partnerQueryKeys(program.id), onDone: onClose },
  );
  return (
    <Form action={save} submit="Save payment details" onCancel={onClose}>
      <PaymentFields holder={partner.name} />
    </Form>
  );
}
