import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { usePartner } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, filled, TextField, type Values } from "../../components/form.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { pluralize } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { instantOf, zonedMinute } from "../../forms/zoned-time.ts";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { amountsText, useWouldPay } from "./would-pay.ts";

export interface AssignCustomerProps {
  readonly customerKey: string;
  /** Time of the sale that the page is about, if it earned nothing because it has no partner. */
  readonly unpaidSince?: string | undefined;
  /** The partner chosen at first. */
  readonly partnerId?: string | undefined;
  readonly onClose: () => void;
}

/**
 * Assigns a customer to a partner. If the assignment begins in the past, the partner is also paid for sales since then.
 */
export default function AssignCustomer(props: AssignCustomerProps): JSX.Element {
  const { customerKey, unpaidSince, onClose } = props;
  const { program, may } = useProgram();
  const [partnerId, setPartnerId] = useState(props.partnerId ?? "");
  const [since, setSince] = useState(
    unpaidSince === undefined || !may("owner") ? "" : zonedMinute(program.timezone, Date.parse(unpaidSince)),
  );
  const partner = usePartner(partnerId).data;
  const instant = since === "" ? undefined : instantOf(program.timezone, since);
  const pays = useWouldPay({
    customerKey,
    partnerCode: partnerId === "" ? undefined : partner?.code,
    since: instant,
  });
  const assign = useAction(
    async ({ since: sent, reason = "" }: Values) => {
      if (partnerId === "") throw fieldError("partner", "Choose a partner.");
      const text = filled(sent);
      const from = text === undefined ? undefined : instantOf(program.timezone, text);
      if (from === undefined && text !== undefined) throw fieldError("since", "Enter a date and time.");
      const json = {
        customerKey,
        partnerId: Number(partnerId),
        reason,
        ...(from !== undefined && { since: from, payPast: true }),
      };
      return (await take(api.programs[":programId"].customers.assign.$post({ param: paramOf(program), json }))).data;
    },
    {
      failsIn: "form",
      done: ({ partnerCode, effects, unconfirmedSales }) =>
        [
          `Assigned to ${nameInText(partner?.name ?? partnerCode)}.`,
          ...(effects.sales === 0
            ? []
            : [`${pluralize(effects.sales, "earlier sale")} earned ${amountsText(effects)}.`]),
          ...(unconfirmedSales === 0 ? [] : [`Still unconfirmed: ${pluralize(unconfirmedSales, "earlier sale")}.`]),
        ].join(" "),
      refreshes: [`program ${program.id} `],
      onDone: onClose,
    },
  );
  return (
    <Dialog title="Assign this customer" onClose={onClose}>
      <p>
        From now on, sales to <bdi>{customerKey}</bdi> earn for the partner. You can't undo this.
      </p>
      <Form action={assign} submit="Assign" onCancel={onClose}>
        <Field
          name="partner"
          label="Partner"
          control={(wiring) => (
            <PartnerFilter wiring={wiring} value={partnerId} onChoose={setPartnerId} none="Choose a partner" />
          )}
        />
        {may("owner") && (
          <Field
            name="since"
            label="Also pay for sales since"
            hint={`In ${zoneTitle(program.timezone)}. If empty, earlier sales stay as they are.`}
            isOptional
            control={(wiring) => (
              <input
                {...wiring}
                type="datetime-local"
                class="control"
                value={since}
                onInput={(event) => setSince(event.currentTarget.value)}
              />
            )}
          />
        )}
        {!may("owner") && (
          <p class="soft">Earlier sales stay as they are. Only an owner can also pay the partner for earlier sales.</p>
        )}
        <p class="soft breakable" aria-live="polite">
          {payText(pays, partner && nameInText(partner.name))}
        </p>
        <TextField name="reason" label="Reason" hint="For your team. Recorded in the audit trail." />
      </Form>
    </Dialog>
  );
}

function payText(pays: ReturnType<typeof useWouldPay>, partner: string | undefined): string | undefined {
  if (partner === undefined || pays?.effects === undefined) return undefined;
  const { sales } = pays.effects;
  if (sales === 0) return `No earlier sale would earn a commission for ${partner}.`;
  const money = amountsText(pays.effects) || "nothing";
  return `${pluralize(sales, "earlier sale")} would earn ${money} for ${partner}, on hold as usual.`;
}
