import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, SelectField, TextField, type Values } from "../components/form.tsx";
import { useProgram } from "../session.tsx";
import { parseMoney, parsePercent, parseWhole } from "./numbers.ts";

const types = [
  ["percent", "A percentage of the sale"],
  ["flat", "A fixed amount"],
] as const;

const scopes = [
  ["lifetime", "Every sale of the customer"],
  ["recurring", "Sales of the first months"],
  ["one_time", "The first sale alone"],
] as const;

/** What sales earn from now on. */
export function PolicyForm({ onDone }: { readonly onDone?: () => void }): JSX.Element {
  const { program } = useProgram();
  const [type, setType] = useState("percent");
  const [scope, setScope] = useState("lifetime");
  const set = useAction(
    async ({ rateBps = "", amountCents = "", durationMonths = "", holdDays = "" }: Values) => {
      const amount =
        type === "flat"
          ? { type: "flat" as const, amountCents: parseMoney(amountCents, program.currency, "amountCents") }
          : { type: "percent" as const, rateBps: parsePercent(rateBps, "rateBps") };
      const reach =
        scope === "recurring"
          ? { scope: "recurring" as const, durationMonths: parseWhole(durationMonths, "durationMonths") }
          : { scope: scope === "one_time" ? ("one_time" as const) : ("lifetime" as const) };
      const json = { ...amount, ...reach, holdDays: parseWhole(holdDays, "holdDays") };
      return take(
        api.programs[":programId"]["commission-policy"].$put({ param: { programId: String(program.id) }, json }),
      );
    },
    { failsIn: "form", done: "In force from now on.", refreshes: [`program ${program.id} `], onDone: () => onDone?.() },
  );
  return (
    <Form action={set} submit="Set the commission">
      <div class="columns">
        <SelectField name="type" label="Partners earn" options={types} value={type} onInput={setType} />
        {type === "percent" ? (
          <TextField key="rate" name="rateBps" label="Rate" value="20" unit="%" inputMode="decimal" />
        ) : (
          <TextField key="amount" name="amountCents" label="Amount" unit={program.currency} inputMode="decimal" />
        )}
        <SelectField name="scope" label="Of" options={scopes} value={scope} onInput={setScope} />
        {scope === "recurring" && (
          <TextField name="durationMonths" label="For" value="12" unit="months" inputMode="numeric" />
        )}
        <TextField
          name="holdDays"
          label="Held for"
          value="15"
          unit="days"
          inputMode="numeric"
          hint="Time for refunds, before it is approved."
        />
      </div>
    </Form>
  );
}
