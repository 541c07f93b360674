const longDate = (today: string, fields: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { ...fields, month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${today}T00:00:00Z`),
  );

/**
 * The month, or the day if another payout has that name, and the currency if it isn't the program's. A number alone would
 * suggest that the payouts before it were paid, but they may be canceled.
 */
export function usualReference(today: string, taken: ReadonlySet<string>, otherCurrency: string | undefined): string {
  const names = [longDate(today, {}), longDate(today, { day: "numeric" })].map((name) =>
    otherCurrency === undefined ? name : `${name}, ${otherCurrency}`,
  );
  return names.find((name) => !taken.has(name)) ?? numbered(names.at(-1) ?? "", taken);
}

interface Named {
  readonly reference: string;
  readonly status: string;
  readonly finalizedAt: string | null;
}

/** The references that a new payout can't have. That of a canceled draft is free again. */
export const takenBy = (payouts: readonly Named[] = []): ReadonlySet<string> =>
  new Set(
    payouts
      .filter(({ status, finalizedAt }) => status !== "canceled" || finalizedAt !== null)
      .map(({ reference }) => reference),
  );

function numbered(reference: string, taken: ReadonlySet<string>): string {
  const base = reference.replace(/ \(\d+\)$/, "");
  let next = 2;
  while (taken.has(`${base} (${next})`)) next += 1;
  return `${base} (${next})`;
}
