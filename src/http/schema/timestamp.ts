/** Converts milliseconds to ISO 8601 in UTC. */
export const timestamp = (at: number): string => new Date(at).toISOString();

export const timestampOrNull = (at: number | null | undefined): string | null => (at == null ? null : timestamp(at));

const iso8601 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;

/**
 * Converts ISO 8601 to milliseconds. Requires an offset, unlike `Date.parse`, which also accepts many other formats.
 * Returns undefined if the text is invalid.
 */
export function parseTimestamp(text: string): number | undefined {
  const parts = iso8601.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offsetHours = Number(parts[9] ?? 0);
  const offsetMinutes = Number(parts[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const milliseconds = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const offset = (offsetHours * 60 + offsetMinutes) * (parts[8] === "-" ? -1 : 1);
  return date.setUTCHours(hour, minute - offset, second, milliseconds);
}
