import type { JSX } from "preact";
import { importColumns, type MappingResult, type Prepared, type Table } from "../../../../importer/index.ts";
import { SelectField } from "../../components/form.tsx";
import { type Choices, columnTitles } from "./choices.ts";

interface ColumnFieldsProps {
  readonly table: Table;
  readonly mapped: MappingResult;
  readonly choices: Choices;
  readonly choose: (chosen: Partial<Choices>) => void;
  readonly asks: Prepared["asks"];
}

const hints: Readonly<Record<string, string>> = {
  customer_key: "The key that your backend sends with sales.",
  since: "Sales from this date on are attributed to the partner. If no column is chosen: from the import on.",
  first_sale_at: "The former program paid for this sale. Commission periods begin with it.",
  subscription_id: "Renewals that contain only this ID earn commissions too.",
  reference: "A balance with the same reference is imported only once.",
};

/** Asks from which column of the file each column of the import comes, and for settings that the file doesn't show. */
export function ColumnFields({ table, mapped, choices, choose, asks }: ColumnFieldsProps): JSX.Element {
  const { kind, given } = choices;
  const headers = table.headers.filter((header) => header !== "");
  const found = new Map(
    mapped.ok
      ? mapped.mapping.columns.map(({ column, at }) => [column.name, at.map((i) => table.headers[i] ?? "").join(" + ")])
      : [],
  );
  return (
    <>
      <div class="import-choices">
        {importColumns[kind].map(({ name, isRequired }) => (
          <SelectField
            key={name}
            name={name}
            label={columnTitles[name] ?? name}
            isOptional={!isRequired}
            options={[
              ["", found.has(name) && given[name] === undefined ? `${found.get(name)} (found)` : "–"],
              ...headers.map((header) => [header, header] as const),
            ]}
            value={given[name] ?? ""}
            onInput={(header) => choose({ given: without(given, name, header) })}
            {...(hints[name] !== undefined && { hint: hints[name] })}
          />
        ))}
      </div>
      {(asks.includes("dateOrder") || choices.dateOrder !== undefined) && (
        <SelectField
          name="dateOrder"
          label="Dates such as 3/4/2026"
          options={[
            ["", "Choose…"],
            ["dmy", "3 April (day first)"],
            ["mdy", "March 4 (month first)"],
          ]}
          value={choices.dateOrder ?? ""}
          onInput={(order) => choose({ dateOrder: order === "dmy" || order === "mdy" ? order : undefined })}
        />
      )}
      {(asks.includes("decimalSign") || choices.decimalSign !== undefined) && (
        <SelectField
          name="decimalSign"
          label="Amounts such as 1.234"
          options={[
            ["", "Choose…"],
            ["comma", "One thousand two hundred thirty-four"],
            ["point", "One point two three four"],
          ]}
          value={choices.decimalSign ?? ""}
          onInput={(sign) => choose({ decimalSign: sign === "comma" || sign === "point" ? sign : undefined })}
        />
      )}
      {kind === "partners" && (
        <label class="check">
          <input
            type="checkbox"
            checked={choices.mayUpdate}
            onInput={({ currentTarget }) => choose({ mayUpdate: currentTarget.checked })}
          />
          Change partners that exist
        </label>
      )}
      {kind === "customers" && (
        <label class="check">
          <input
            type="checkbox"
            checked={choices.paysPast}
            onInput={({ currentTarget }) => choose({ paysPast: currentTarget.checked })}
          />
          Where “Since” is in the past, pay for the sales from then on
        </label>
      )}
    </>
  );
}

function without(given: Choices["given"], name: string, header: string): Choices["given"] {
  const { [name]: _, ...others } = given;
  return header === "" ? others : { ...others, [name]: header };
}
