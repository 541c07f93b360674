import { field, type Invariants, type Scope } from "./invariant.ts";

const terms = {
  model: { name: "attributionModel", column: "attribution_model" },
  windowDays: { name: "attributionWindowDays", column: "attribution_window_days" },
  windowUntil: { name: "windowUntil", column: "window_until" },
} as const;
type Term = keyof typeof terms;
const allTerms = Object.keys(terms) as Term[];

/** Each value that a program has now, or had before or after a change. */
const everHad = (of: Scope) => `(
  ${allTerms
    .map(
      (term) =>
        `select g.id as program_id, '${term}' as term, g.${terms[term].column} as value from programs g where ${of("g", "id")}`,
    )
    .join(" union all ")}
  ${allTerms
    .flatMap((term) =>
      ["a.before", "a.after"].map(
        (json) => `
        union all select a.program_id, '${term}', ${field(json, terms[term].name)} from audit_entries a
        where ${of("a")} and a.action like 'program.%' and ${field(json, terms[term].name)} is not null`,
      ),
    )
    .join("")})`;

const frozenAt = (path: (term: Term) => string, from: string) =>
  allTerms
    .map(
      (term) => `select x.program_id, x.id, '${term}' as term, ${field("x.explanation", path(term))} as value ${from}`,
    )
    .join(" union all ");

/**
 * The values are joined into one text, because SQLite scans the whole list for a row of several values that the list
 * lacks.
 */
const keyOf = (alias: string) =>
  `${alias}.program_id || ' ' || ${alias}.term || ' ' || typeof(${alias}.value) || ' ' || coalesce(${alias}.value, '')`;

export const termInvariants: Invariants = {
  "sales and leads that were decided by terms that their program never had": (of) => `
    select f.in_table, f.id, f.term, f.value from (
      select 'commissions' as in_table, * from (${frozenAt((term) => term, `from commissions x where ${of("x")} and x.source = 'click'`)})
      union all
      select 'commissions', * from (${frozenAt((term) => `terms.${term}`, `from commissions x where ${of("x")} and x.partner_id is null`)})
      union all
      select 'leads', * from (${frozenAt((term) => term, `from leads x where ${of("x")}`)})
    ) f
    where ${keyOf("f")} not in (select ${keyOf("h")} from ${everHad(of)} h)`,
};
