/** A column with its references. */
export interface Column {
  readonly name: string;
  readonly text: string;
  /** True if the column has NOT NULL. */
  readonly isRequired: boolean;
  /** True if SQLite can add the column without copying the table. */
  readonly isAddable: boolean;
}

export interface Table {
  readonly columns: ReadonlyMap<string, Column>;
  /** The checks and keys of the table. */
  readonly rules: readonly string[];
  /** The options after the columns, such as STRICT. */
  readonly options: string;
}

/** Parses CREATE TABLE as drizzle-kit writes it or as ALTER TABLE has changed it. Ignores the order of columns. */
export function tableOf(sql: string): Table {
  const [first, last] = [sql.indexOf("("), sql.lastIndexOf(")")];
  const parts = split(sql.slice(first + 1, last)).flatMap(withoutRules);
  const references = new Map(
    parts.flatMap((part) => {
      const [, column, target] = /^FOREIGN KEY \(`(\w+)`\) (REFERENCES .*)$/.exec(part) ?? [];
      return column === undefined ? [] : [[column, String(target)] as const];
    }),
  );
  const columns = parts
    .filter((part) => !isRule(part))
    .map((part) => {
      const name = /\w+/.exec(part)?.[0] ?? "";
      return columnOf(name, [part, references.get(name)].filter(Boolean).join(" "));
    });
  return {
    columns: new Map(columns.map((column) => [column.name, column])),
    rules: parts.filter((part) => isRule(part) && !/^FOREIGN KEY \(`\w+`\)/.test(part)),
    options: sql.slice(last + 1).trim(),
  };
}

/** The parts of `to` that `from` lacks. */
export function addedParts(from: Table, to: Table) {
  const columns = [...to.columns.values()].filter(({ name, text }) => from.columns.get(name)?.text !== text);
  const rules = to.rules.filter((rule) => !from.rules.includes(rule));
  return { columns, rules, isEmpty: columns.length === 0 && rules.length === 0 };
}

function columnOf(name: string, text: string): Column {
  const hasDefault = / DEFAULT /.test(text);
  const isRequired = / NOT NULL/.test(text) && !hasDefault;
  const isKey = / (PRIMARY KEY|UNIQUE|GENERATED)/.test(text);
  const isFilledReference = hasDefault && / REFERENCES /.test(text);
  return { name, text, isRequired: isRequired && !isKey, isAddable: !isRequired && !isKey && !isFilledReference };
}

const isRule = (part: string): boolean => /^(CONSTRAINT|CHECK|PRIMARY KEY|FOREIGN KEY|UNIQUE)\b/.test(part);

/** A column's definition without the table's constraints, which follow a column that was added later. */
const withoutRules = (part: string): string[] => (isRule(part) ? [part] : part.split(/ (?=CONSTRAINT \S+ CHECK)/));

/** Splits at commas outside parentheses and quoted texts. */
function split(body: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (const { 0: mark, index } of body.matchAll(/'[^']*'|[(),]/g)) {
    if (mark === "(") depth += 1;
    else if (mark === ")") depth -= 1;
    else if (mark === "," && depth === 0) {
      parts.push(body.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, body.slice(from)].map((part) => part.replace(/\s+/g, " ").trim());
}
