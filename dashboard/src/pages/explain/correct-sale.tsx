import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { writeDecimal } from "#domain/currency.ts";
import { api, take } from "../../api/client.ts";
import { Failure, fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, filled, TextField, type Values } from "../../components/form.tsx";
import { explainAddress } from "../../explain-address.ts";
import { moneyDigits } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { parseMoney } from "../../forms/parse-numbers.ts";
import { instantOf, zonedMinute } from "../../forms/zoned-time.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import type { Sale } from "./correctable-sale.ts";
import { type Corrected, CorrectionPreview } from "./correction-preview.tsx";

export interface CorrectSaleProps {
  readonly sale: Sale;
  readonly customerKey: string | null;
  readonly onClose: () => void;
}

/** Corrects a sale. Nothing is recorded before the user has seen the result. */
export default function CorrectSale({ sale, customerKey, onClose }: CorrectSaleProps): JSX.Element {
  const { program } = useProgram();
  const { route } = useLocation();
  const saved = valuesOf(sale, customerKey, program.timezone);
  const draft = useDraft(`program ${program.id} correction of ${sale.id}`, saved);
  const { values } = draft;
  const close = () => {
    draft.discard();
    onClose();
  };
  const [preview, setPreview] = useState<Corrected>();
  const call = async (entered: Values, dryRun: boolean) => {
    const param = { ...paramOf(program), saleId: String(sale.id) };
    const json = { ...changesIn(entered, saved, program.timezone), reason: entered.reason ?? "", dryRun };
    const routes = api.programs[":programId"].sales[":saleId"];
    return (await take(routes.correct.$post({ param, json })).catch(atItsField)).data;
  };
  const look = useAction((entered: Values) => call(entered, true), {
    failsIn: "form",
    onDone: setPreview,
  });
  const correct = useAction(() => call(values, false), {
    failsIn: "form",
    done: "Sale corrected.",
    refreshes: [`program ${program.id} `],
    onDone: ({ after }) => {
      close();
      route(explainAddress(program.id, { saleId: String(after.saleId) }));
    },
  });
  return (
    <Dialog title={`Correct sale ${sale.transactionId}`} onClose={close}>
      {preview === undefined ? (
        <Form action={look} submit="Preview correction" draft={draft} onCancel={close}>
          <SaleFields values={values} timezone={program.timezone} />
        </Form>
      ) : (
        <CorrectionPreview preview={preview} correct={correct} onBack={() => setPreview(undefined)} />
      )}
    </Dialog>
  );
}

const SaleFields = ({ values, timezone }: { readonly values: Values; readonly timezone: string }): JSX.Element => (
  <div class="columns">
    <TextField
      name="amountCents"
      label="Amount"
      inputMode="decimal"
      value={values.amountCents}
      hint="The amount before refunds. Refunds already made are kept."
    />
    <TextField name="currency" label="Currency" value={values.currency} />
    <TextField
      name="customerKey"
      label="Customer"
      value={values.customerKey}
      hint="The customer key that your server sends."
      isOptional
    />
    <Field
      name="occurredAt"
      label="Date and time"
      hint={`In ${zoneTitle(timezone)}. The commission follows the rules in force at this time.`}
      control={(wiring) => (
        <input {...wiring} type="datetime-local" class="control" value={values.occurredAt} required />
      )}
    />
    <TextField name="reason" label="Reason" value={values.reason} hint="Only your team sees it, in the audit trail." />
  </div>
);

const valuesOf = ({ amountCents, currency, occurredAt }: Sale, customerKey: string | null, zone: string): Values => ({
  amountCents: writeDecimal(amountCents, moneyDigits(currency)),
  currency,
  customerKey: customerKey ?? "",
  occurredAt: zonedMinute(zone, Date.parse(occurredAt)),
  reason: "",
});

/** The fields that the user has changed. Throws an error on the first that can't be read. */
function changesIn(entered: Values, saved: Values, timezone: string) {
  const { amountCents = "", currency = "", occurredAt = "" } = entered;
  const isChanged = (name: string) => (entered[name] ?? "").trim() !== saved[name];
  const code = currency.trim().toUpperCase();
  const customerKey = filled(entered.customerKey);
  if (customerKey === undefined && saved.customerKey !== "") throw fieldError("customerKey", "Enter a customer.");
  const instant = instantOf(timezone, occurredAt);
  if (instant === undefined) throw fieldError("occurredAt", "Enter a date and time.");
  return {
    ...((isChanged("amountCents") || code !== saved.currency) && {
      amountCents: parseMoney(amountCents, code, "amountCents"),
    }),
    ...(code !== saved.currency && { currency: code }),
    ...(isChanged("customerKey") && { customerKey }),
    ...(isChanged("occurredAt") && { occurredAt: instant }),
  };
}

const fieldOf: Readonly<Record<string, string>> = {
  below_refunded: "amountCents",
  refunds_in_other_currency: "currency",
};

function atItsField(error: unknown): never {
  const field = error instanceof Failure && error.code !== undefined ? fieldOf[error.code] : undefined;
  throw error instanceof Failure && field !== undefined ? fieldError(field, error.message) : error;
}
