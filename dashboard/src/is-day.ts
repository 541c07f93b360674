/** A day of the calendar, such as "2026-03-01". The parser takes February 30 for March 2. */
export function isDay(text: string | undefined): text is string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? "")) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text ?? "");
}
