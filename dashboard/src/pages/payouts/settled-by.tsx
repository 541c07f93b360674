import type { JSX } from "preact";
import { SelectField } from "../../components/form.tsx";
import type { Payout } from "./queries.ts";

type Settler = Payout["settledBy"];

const settlerTitles: Readonly<Record<Settler, string>> = {
  person: "A person",
  api: "Your own system",
};

export const settlerOptions = Object.entries(settlerTitles);

export const settlerOf = (value: string | undefined): Settler => (value === "api" ? "api" : "person");

interface SettledByProps {
  readonly value: Settler;
  readonly onInput?: (settler: Settler) => void;
}

export const SettledBy = ({ value, onInput }: SettledByProps): JSX.Element => (
  <SelectField
    name="settledBy"
    label="Who settles"
    value={value}
    options={settlerOptions}
    hint="A person pays all lines at once. Your own system credits each partner and reports it through the API, and partners need no payment details."
    onInput={(chosen) => onInput?.(settlerOf(chosen))}
  />
);
