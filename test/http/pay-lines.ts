import { type FileableLine, lineSorter } from "#api/payment-files/sort-lines.ts";

export type Line = FileableLine & { readonly state: "live" | "failed" };

export const accounts = {
  paypal: "ada@pay.example",
  wise: "ada@wise.example",
  bank: "FR1420041010050500013M02606",
  other: "x",
};

export const payee = (
  method: keyof typeof accounts | undefined,
  changes: Partial<Line> = {},
  holder = "Ada Lovelace",
): Line => ({
  state: "live",
  partnerId: 7 as Line["partnerId"],
  partnerCode: "ada",
  name: "Ada",
  amountCents: 123_456,
  currency: "EUR",
  details: method && { method, account: accounts[method], holder, country: null, taxId: null },
  ...changes,
});

export function sort(lines: readonly Line[]) {
  const sorter = lineSorter();
  for (const line of lines) sorter.add(line);
  return sorter.sorted();
}
