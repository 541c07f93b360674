const longDate = (today: string, fields: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { ...fields, month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${today}T00:00:00Z`),
  );

/**
 * The default reference: the month, or the day if another payout already has the month, followed by the currency's name
 * if it isn't the program's. A number alone would suggest that the payouts before it were paid, but they may be
 * canceled drafts.
 */
export function usualReference(today: string, taken: ReadonlySet<string>, otherCurrency: string | undefined): string {
  const names = [longDate(today, {}), longDate(today, { day: "numeric" })].map((name) =>
    otherCurrency === undefined ? name : `${name}, ${otherCurrency}`,
  );
  return names.find((name) => !taken.has(name)) ?? numbered(names.at(-1) ?? "", taken);
}

/** A reference for the draft that replaces a draft of this reference: references of canceled payouts stay taken. */
export function nextReference(
  reference: string,
  today: string,
  taken: ReadonlySet<string>,
  otherCurrency: string | undefined,
): string {
  const isUsual = /^(\d+ )?[A-Z][a-z]+ \d{4}(, [A-Z]{3,12})?( \(\d+\))?$/.test(reference);
  const others = new Set([...taken, reference]);
  return isUsual ? usualReference(today, others, otherCurrency) : numbered(reference, others);
}

function numbered(reference: string, taken: ReadonlySet<string>): string {
  const base = reference.replace(/ \(\d+\)$/, "");
  let next = 2;
  while (taken.has(`${base} (${next})`)) next += 1;
  return `${base} (${next})`;
}
