/** The default reference of a payout: the month, with a number if another payout has it already. */
export function usualReference(today: string, taken: ReadonlySet<string>): string {
  const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${today}T00:00:00Z`),
  );
  return taken.has(month) ? nextReference(month, taken) : month;
}

/** The reference with the next number that no payout has. */
export function nextReference(reference: string, taken: ReadonlySet<string>): string {
  const base = reference.replace(/ \(\d+\)$/, "");
  let next = 2;
  while (taken.has(`${base} (${next})`) || `${base} (${next})` === reference) next += 1;
  return `${base} (${next})`;
}
