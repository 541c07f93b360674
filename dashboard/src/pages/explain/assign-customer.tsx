import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, filled, TextField, type Values } from "../../components/form.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { formatMoney, pluralize } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { instantOf } from "../../forms/zoned-time.ts";
import { paramOf, useProgram } from "../../session.tsx";

interface AssignCustomerProps {
  readonly customerKey: string;
  readonly onClose: () => void;
}

/** A beginning in the past is the consent to pay for the sales from then on. */
export function AssignCustomer({ customerKey, onClose }: AssignCustomerProps): JSX.Element {
  const { program, may } = useProgram();
  const [partnerId, setPartnerId] = useState("");
  const assign = useAction(
    async ({ since: sent, reason = "" }: Values) => {
      if (partnerId === "") throw fieldError("partner", "Choose a partner.");
      const text = filled(sent);
      const since = text === undefined ? undefined : instantOf(program.timezone, text);
      if (since === undefined && text !== undefined) throw fieldError("since", "Enter a date and time.");
      const json = {
        customerKey,
        partnerId: Number(partnerId),
        reason,
        ...(since !== undefined && { since, payPast: true }),
      };
      return (await take(api.programs[":programId"].customers.assign.$post({ param: paramOf(program), json }))).data;
    },
    {
      failsIn: "form",
      done: ({ partnerCode, effects: { sales, amounts } }) =>
        `Assigned to ${partnerCode}.${sales === 0 ? "" : ` ${pluralize(sales, "earlier sale")} earned ${amounts.map(({ currency, cents }) => formatMoney(cents, currency)).join(" and ")}.`}`,
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
            hint={`In ${zoneTitle(program.timezone)}. Without it, earlier sales stay as they are.`}
            isOptional
            control={(wiring) => <input {...wiring} type="datetime-local" class="control" />}
          />
        )}
        <TextField name="reason" label="Reason" hint="For your team. Recorded in the audit log." />
      </Form>
    </Dialog>
  );
}
