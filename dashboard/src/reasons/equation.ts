import { formatMoney } from "../format.ts";

export interface Term {
  readonly title: string;
  readonly amountCents: number;
}

export interface Equation {
  /** The words after the amount, such as "to pay". */
  readonly what: string;
  readonly amountCents: number;
  readonly currency: string;
  /** The terms that add up to the amount. Empty if the rows alone explain it. */
  readonly terms: readonly Term[];
}

/** Makes terms, and leaves out those of 0. */
export const termsOf = (...terms: readonly (readonly [title: string, amountCents: number])[]): readonly Term[] =>
  terms.flatMap(([title, amountCents]) => (amountCents === 0 ? [] : [{ title, amountCents }]));

/** A sum as text, such as "18 commissions €248.04 − refunds €37.68". */
const sumText = (terms: readonly Term[], currency: string): string =>
  terms
    .map(({ title, amountCents }, i) => {
      const sign = amountCents < 0 ? "− " : i === 0 ? "" : "+ ";
      return `${sign}${title} ${formatMoney(Math.abs(amountCents), currency)}`;
    })
    .join(" ");

export function equationText({ what, amountCents, currency, terms }: Equation): string {
  const amount = `${formatMoney(amountCents, currency)} ${what}`;
  return terms.length === 0 ? amount : `${amount} = ${sumText(terms, currency)}`;
}
