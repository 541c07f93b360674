import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { endOfDay } from "#domain/calendar.ts";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Form, filled, SelectField, TextField, type Values } from "../../components/form.tsx";
import { currencyName, formatList, formatMoney } from "../../format.ts";
import { DayField } from "../../forms/day-field.tsx";
import { parseMoney } from "../../forms/parse-numbers.ts";
import { namedByCode } from "../../named-by-code.ts";
import { todayIn } from "../../sale-period.ts";
import { type Program, paramOf, useProgram } from "../../session.tsx";
import { payoutAddress } from "../../url.ts";
import { affected, type Balance, usePayouts } from "./queries.ts";
import { usualReference } from "./references.ts";
import { draftIn } from "./refusals.ts";
import { SettledBy, settlerOf } from "./settled-by.tsx";

type PaidPartner = Pick<Balance, "partnerId" | "partnerCode" | "name">;

interface NewPayoutProps {
  readonly currency: string;
  readonly currencies: readonly string[];
  /** The partners to pay. Empty: all partners. */
  readonly partners: readonly PaidPartner[];
  readonly onClose: () => void;
}

export function NewPayout({ currency: first, currencies, partners, onClose }: NewPayoutProps): JSX.Element {
  const { program } = useProgram();
  const { route } = useLocation();
  const payouts = usePayouts(undefined);
  const references = new Set(payouts.data?.data.map(({ reference }) => reference));
  const [currency, setCurrency] = useState(first);
  const otherCurrency = currency === program.currency ? undefined : currencyName(currency);
  const create = useAction(
    ({ until, minimumCents, reference, settledBy }: Values) => {
      const json = {
        currency,
        settledBy: settlerOf(settledBy),
        reference: filled(reference),
        ...(filled(until) && { until: endOfDayText(program.timezone, until ?? "") }),
        ...(filled(minimumCents) && { minimumCents: parseMoney(minimumCents ?? "", currency, "minimumCents") }),
        ...(partners.length > 0 && { partnerIds: partners.map(({ partnerId }) => partnerId) }),
      };
      return take(api.programs[":programId"].payouts.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      refreshes: affected(program),
      onDone: ({ data }) => route(payoutAddress(program.id, data.id)),
    },
  );
  const draft = draftIn(create.failure);
  return (
    <Dialog title="New payout" onClose={onClose}>
      <p class="soft breakable">
        {partners.length === 0 ? "Pays all active partners with a payable balance." : `Pays only ${namesOf(partners)}.`}{" "}
        You get a draft to check first. Nothing is reserved until you finalize it.
      </p>
      <Form
        action={create}
        submit="Create draft"
        onCancel={onClose}
        beside={draft && <a href={payoutAddress(program.id, draft.payoutId)}>Open the draft {draft.reference}</a>}
      >
        <div class="columns">
          <SelectField
            name="currency"
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, currencyName(each)])}
            onInput={setCurrency}
          />
          <TextField
            name="minimumCents"
            label="Minimum per partner"
            unit={currencyName(currency)}
            inputMode="decimal"
            hint={minimumHint(program, currency)}
            isOptional
          />
          <DayField
            name="until"
            label="Approved until"
            hint="Pays commissions and bonuses approved on or before this day. Refunds since then are deducted. Default: now."
            isOptional
          />
          <TextField
            name="reference"
            label="Reference"
            value={usualReference(todayIn(program.timezone), references, otherCurrency)}
            hint="Appears in the payment list, in mails and on statements."
            isOptional
          />
          <SettledBy value="person" />
        </div>
      </Form>
    </Dialog>
  );
}

const endOfDayText = (timezone: string, day: string): string => new Date(endOfDay(timezone, day) - 1).toISOString();

const maxNames = 3;

function namesOf(partners: readonly PaidPartner[]): string {
  const names = partners.slice(0, maxNames).map(namedByCode);
  const more = partners.length - names.length;
  return formatList([...names, ...(more > 0 ? [`${more} more`] : [])]);
}

function minimumHint({ minimumPayoutCents, currency }: Program, chosen: string): string {
  if (minimumPayoutCents === null || chosen !== currency)
    return "Smaller balances are left for a later payout. Default: no minimum.";
  return `Smaller balances are left for a later payout. Default: ${formatMoney(minimumPayoutCents, currency)}.`;
}
