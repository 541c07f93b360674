/** The calendar day of an instant (ms) in a time zone, such as "2026-03-01". */
export const dayIn = (timezone: string, at: number): string =>
  // The Swedish form of a date is that of ISO 8601.
  new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short" }).format(at);
