import * as z from "#http/schema/zod.ts";
import { mostRows } from "./few-rows.ts";

const other = "other";

const Figures = z.record(z.string(), z.number().nullable());
const Group = z.looseObject({ group: z.string(), label: z.string(), previous: Figures.nullable() });
type Group = z.output<typeof Group>;
const Groups = z.looseObject({ data: z.array(Group) });

const figuresOf = ({ group: _, label: __, previous: ___, ...figures }: Group) => Figures.parse(figures);

/** Adds up each figure. `unique_clicks` is null, because the same visitor may be in several groups. */
const sumOf = (rows: readonly z.output<typeof Figures>[]): z.output<typeof Figures> =>
  Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((name) => [
      name,
      name === "unique_clicks" ? null : rows.reduce((sum, row) => sum + (row[name] ?? 0), 0),
    ]),
  );

/** Keeps the first groups, and combines the others in the group `other`. */
export function withFewGroups(response: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { data } = Groups.parse(response);
  if (data.length <= mostRows) return response;
  const shown = data.filter(({ group }) => group !== other).slice(0, mostRows - 1);
  const rest = data.filter((group) => !shown.includes(group));
  const previous = rest.map((group) => group.previous).filter((figures) => figures !== null);
  const others = {
    group: other,
    label: other,
    ...sumOf(rest.map(figuresOf)),
    previous: previous.length === 0 ? null : sumOf(previous),
  };
  return { ...response, data: [...shown, others] };
}
