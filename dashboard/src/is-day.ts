/** True for a day of the calendar such as "2026-03-01". The parser alone would accept February 30 as March 2. */
export function isDay(text: string | undefined): text is string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? "")) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text ?? "");
}
