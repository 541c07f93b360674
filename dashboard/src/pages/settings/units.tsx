import type { JSX } from "preact";
import { maxUnitDigits, unitText } from "#domain/units.ts";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, TextField, type Values } from "../../components/form.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { type Unit, useUnits } from "../../forms/units.ts";
import { locale } from "../../locale.ts";
import { paramOf, useProgram } from "../../session.tsx";

export function Units(): JSX.Element {
  const { mayChange } = useProgram();
  const units = useUnits();
  return (
    <div class="settings">
      <Card
        title="Units"
        lead="Rewards other than money, such as free months or credits. A commission with a fixed amount can be in a unit. A unit can't be changed or removed."
      >
        <Loaded query={units} skeleton={<Skeleton lines={4} />}>
          {(found) => (
            <>
              <Listed units={found} />
              {mayChange("admin") && <NewUnit />}
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

function Listed({ units }: { readonly units: readonly Unit[] }): JSX.Element {
  if (units.length === 0) {
    return (
      <Empty title="No units yet">
        Units that you create appear here. Without units, commissions are amounts of money.
      </Empty>
    );
  }
  return (
    <Table
      caption="Units"
      rows={units}
      rowKey={({ code }) => code}
      columns={[
        { head: "Code", cell: ({ code }) => <code>{code}</code> },
        { head: "Amounts", cell: (unit) => <bdi>{examplesOf(unit)}</bdi> },
      ]}
    />
  );
}

const examplesOf = (unit: Unit): string =>
  [1, 2, 2.5]
    .map((amount) => Math.round(amount * 10 ** unit.digits))
    .slice(0, unit.digits === 0 ? 2 : 3)
    .map((scaled) => unitText(scaled, unit, locale))
    .join(", ");

const digitOptions = Array.from({ length: maxUnitDigits + 1 }, (_, digits): [string, string] => [
  String(digits),
  digits === 0 ? "None: whole numbers" : String(digits),
]);

function NewUnit(): JSX.Element {
  const { program } = useProgram();
  const create = useAction(
    ({ code = "", digits = "0", one = "", other = "" }: Values) => {
      const json = { code: code.trim().toUpperCase(), digits: Number(digits), one, other };
      return take(api.programs[":programId"].units.$post({ param: paramOf(program), json }));
    },
    { failsIn: "form", done: "Unit created.", refreshes: [`program ${program.id} units`] },
  );
  return (
    <Form action={create} submit="Create unit">
      <div class="columns">
        <TextField name="one" label="Singular" hint="For example: free month" />
        <TextField name="other" label="Plural" hint="For example: free months" />
        <TextField name="code" label="Code" hint="4 to 12 letters, used like a currency code. For example: MONTHS" />
        <SelectField name="digits" label="Decimals" options={digitOptions} />
      </div>
    </Form>
  );
}
