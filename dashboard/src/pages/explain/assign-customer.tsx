import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { usePartner } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, filled, TextField, type Values } from "../../components/form.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { formatMoney, pluralize } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { instantOf, zonedMinute } from "../../forms/zoned-time.ts";
import { paramOf, useProgram } from "../../session.tsx";

export interface AssignCustomerProps {
  readonly customerKey: string;
  /** Time of the sale that the page is about, if it earned nothing because it has no partner. */
  readonly unpaidSince?: string | undefined;
  readonly onClose: () => void;
}

/**
 * The amount that the assignment would pay at once, from a check of the same row as an import. Undefined if unknown.
 */
function useWouldPay(customerKey: string, partnerCode: string | undefined, since: string | undefined) {
  const asked = partnerCode === undefined || since === undefined ? null : { partnerCode, since };
  const { data, isStale } = useProgramQuery(
    "what an assignment pays",
    { customerKey, asked },
    async ({ param }, init) => {
      if (asked === null) return null;
      const row = {
        line: 1,
        customer_key: customerKey,
        partner_code: asked.partnerCode,
        since: asked.since,
        pay_past: "true",
      };
      const json = { kind: "customers" as const, source: "dashboard", dryRun: true, rows: [row] };
      const { data: checked } = await take(api.programs[":programId"].imports.rows.$post({ param, json }, init));
      return checked.rows[0] ?? null;
    },
  );
  return isStale ? undefined : (data ?? undefined);
}

/**
 * Assigns a customer to a partner. If the beginning is in the past, the partner is also paid for sales from then on.
 */
export default function AssignCustomer({ customerKey, unpaidSince, onClose }: AssignCustomerProps): JSX.Element {
  const { program, may } = useProgram();
  const [partnerId, setPartnerId] = useState("");
  const [since, setSince] = useState(
    unpaidSince === undefined || !may("owner") ? "" : zonedMinute(program.timezone, Date.parse(unpaidSince)),
  );
  const partner = usePartner(partnerId).data;
  const instant = since === "" ? undefined : instantOf(program.timezone, since);
  const pays = useWouldPay(customerKey, partnerId === "" ? undefined : partner?.code, instant);
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
      done: ({ partnerCode, effects: { sales, amounts } }) =>
        `Assigned to ${partner?.name ?? partnerCode}.${sales === 0 ? "" : ` ${pluralize(sales, "earlier sale")} earned ${amounts.map(({ currency, cents }) => formatMoney(cents, currency)).join(" and ")}.`}`,
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
          <p class="soft">Earlier sales stay as they are. To pay for them too, ask an owner to assign the customer.</p>
        )}
        <p class="soft breakable" aria-live="polite">
          {payText(pays, partner?.name)}
        </p>
        <TextField name="reason" label="Reason" hint="For your team. Recorded in the audit trail." />
      </Form>
    </Dialog>
  );
}

function payText(pays: ReturnType<typeof useWouldPay>, partner: string | undefined): string | undefined {
  if (partner === undefined || pays?.effects === undefined) return undefined;
  const { sales, amounts } = pays.effects;
  if (sales === 0) return `No earlier sale would earn a commission for ${partner}.`;
  const money = amounts.map(({ currency, cents }) => formatMoney(cents, currency)).join(" and ");
  return `${pluralize(sales, "earlier sale")} would earn ${money || "nothing"} for ${partner}, on hold as usual.`;
}
