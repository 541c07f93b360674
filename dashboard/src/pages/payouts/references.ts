/** The month, with the currency if it isn't the program's, and with a number if another payout has that name. */
export function usualReference(today: string, taken: ReadonlySet<string>, otherCurrency: string | undefined): string {
  const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${today}T00:00:00Z`),
  );
  const usual = otherCurrency === undefined ? month : `${month}, ${otherCurrency}`;
  return taken.has(usual) ? nextReference(usual, taken) : usual;
}

/** The reference with the next number that no payout has. */
export function nextReference(reference: string, taken: ReadonlySet<string>): string {
  const base = reference.replace(/ \(\d+\)$/, "");
  let next = 2;
  while (taken.has(`${base} (${next})`) || `${base} (${next})` === reference) next += 1;
  return `${base} (${next})`;
}
