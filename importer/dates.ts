import { type Reading, read, unread } from "./reading.ts";

/** Order of day and month in dates such as 3/1/2026. */
export type DateOrder = "dmy" | "mdy";

const time = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?`;
const half = String.raw`(?: ?(?<half>[ap])\.?m\.?)?`;
const offset = String.raw`(?: ?(?:Z|UTC|GMT|(?<offset>[+-]\d\d(?::?\d\d)?)))?`;
const form = (date: string): RegExp => new RegExp(`^${date}(?:(?:T|,? )${time}${half}${offset})?$`, "i");

const slashed = form(String.raw`(?<first>\d{1,2})(?<sign>[-/])(?<other>\d{1,2})\k<sign>(?<year>\d{4})`);
const forms = [
  form(String.raw`(?<year>\d{4})(?<sign>[-/.])(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})`),
  form(String.raw`(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4})`),
  slashed,
  form(String.raw`(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})`),
  form(String.raw`(?<day>\d{1,2})\.? (?<name>[a-z]{3,9})\.?,? (?<year>\d{4})`),
];

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] as const;
const monthName =
  /^(?:january|february|march|april|june|july|august|sept(?:ember)?|october|november|december|[a-z]{3})$/i;

const expected = "a date such as 2026-03-01, 2026-03-01 12:30, 01.03.2026 or 3/1/2026";

/** The first year that a date may have. No affiliate program has customers from an earlier year. */
const firstYear = 2000;
const notEmpty = `a date from ${firstYear} on, because a spreadsheet writes an earlier one for an empty date: empty the cell`;

type Groups = Readonly<Record<string, string | undefined>>;

const clean = (cell: string): string => cell.trim().replace(/\s+/g, " ");

/** Reads a day or an instant in ISO 8601. A day without a time stays a day, and a time without an offset is in UTC. */
export function readInstant(cell: string, order: DateOrder | undefined): Reading<string> {
  const text = clean(cell);
  const groups: Groups | undefined = forms.map((each) => each.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return unread(expected);
  if (Number(groups.year) < firstYear) return unread(notEmpty);
  if (order === undefined && groups.first !== groups.other) {
    return unread("an order of day and month, because the column doesn't tell which comes first", "ambiguous_date");
  }
  const day = dayOf(groups, order);
  const at = day === undefined ? undefined : timeOf(groups);
  return day === undefined || at === undefined ? unread(expected) : read(`${day}${at}`);
}

function dayOf({ year, month, day, first, other, name }: Groups, order: DateOrder | undefined): string | undefined {
  const [inMonth = month, onDay = day] = order === "mdy" ? [first, other] : [other, first];
  const text = `${year}-${two(name === undefined ? inMonth : monthOf(name))}-${two(onDay)}`;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined;
}

const two = (text = ""): string => text.padStart(2, "0");

const monthOf = (name: string): string =>
  monthName.test(name) ? String(months.findIndex((month) => name.toLowerCase().startsWith(month)) + 1) : "0";

/** The time part of an instant. Empty if the cell has no time. */
function timeOf({ hour: hours, minute, second = "00", fraction, half, offset = "Z" }: Groups): string | undefined {
  if (hours === undefined) return "";
  const hour = hourOf(Number(hours), half?.toLowerCase());
  if (hour === undefined || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `T${two(String(hour))}:${minute}:${second}${fraction === undefined ? "" : `.${fraction}`}${offset}`;
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined;
  return hour < 1 || hour > 12 ? undefined : (hour % 12) + (half === "p" ? 12 : 0);
}

/**
 * The order of day and month in a column, shown by a day above 12. Undefined if no cell shows the order, or if cells
 * show both orders.
 */
export function dateOrderOf(cells: readonly string[]): DateOrder | undefined {
  const dates = cells.map((cell): Groups => slashed.exec(clean(cell))?.groups ?? {});
  const isDayFirst = dates.some(({ first }) => Number(first) > 12);
  const isMonthFirst = dates.some(({ other }) => Number(other) > 12);
  if (isDayFirst === isMonthFirst) return undefined;
  return isDayFirst ? "dmy" : "mdy";
}
