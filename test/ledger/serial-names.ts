import type { World } from "../../harness/world.ts";

/** Rows of these tables are named by their rank in this column. The ids of a world's own policies are random. */
const numbered: Readonly<Record<string, string>> = {
  commission_policies: "version",
  ...Object.fromEntries(
    [
      ...["customers", "leads", "sales", "refunds", "commissions", "ledger_entries", "clicks"],
      ...["audit_entries", "notes"],
    ].map((table) => [table, "id"]),
  ),
};
/** Excludes the rows with which each world starts. */
const ownRows: Readonly<Record<string, string>> = { audit_entries: "actor_id <> 'somebody'" };
/** These tables have no ids to sort by. */
const unordered = {
  group_memberships: "select * from group_memberships where program_id = ?",
  click_event_ids: "select * from click_event_ids where program_id = ?",
  customer_clicks: "select k.* from customer_clicks k join customers c on c.id = k.customer_id where c.program_id = ?",
  daily_counts: "select * from daily_counts where program_id = ?",
  // Sales whose ids are of the same kind don't flag each other if they are decided in the same round.
  commission_signals:
    "select * from commission_signals where program_id = ? and not (code = 'duplicate_source' and effect = 'flag')",
};

const tableOf: Readonly<Record<string, string>> = {
  ...{
    partner: "partners",
    group: "partner_groups",
    coupon: "coupons",
    link: "referral_links",
    policy: "commission_policies",
    customer: "customers",
    lead: "leads",
  },
  ...{ note: "notes", sale: "sales", refund: "refunds", commission: "commissions", before: "commission_policies" },
};

type Rows = Readonly<Record<string, readonly object[]>>;

export const rowsOf = (world: Pick<World, "allRows">): Promise<Rows> =>
  world.allRows({
    ...Object.fromEntries(
      Object.entries(numbered).map(([table, order]) => [
        table,
        `select * from ${table} where program_id = ? and ${ownRows[table] ?? "1"} order by ${order}`,
      ]),
    ),
    ...unordered,
  });

/** Replaces ids and times that differ between two programs with the same events. */
export class Names {
  readonly #rows: Rows;
  readonly #ranks: ReadonlyMap<string, ReadonlyMap<unknown, string>>;
  readonly #words: ReadonlyMap<string, string>;

  /** `words` has the names for click ids and operation ids. */
  constructor({ programId, partners, groups, coupons }: World, rows: Rows, words: ReadonlyMap<string, string>) {
    this.#rows = rows;
    this.#ranks = new Map([
      ["partners", new Map(partners.map(({ id, code }) => [id, code]))],
      ["referral_links", new Map(partners.map(({ linkId, code }) => [linkId, `link of ${code}`]))],
      ["coupons", new Map(coupons.map(({ id }, i) => [id, `coupon ${i}`]))],
      ["partner_groups", new Map(groups.map(({ id, name }) => [id, name]))],
      ...Object.keys(numbered).map((table) => [table, ranksOf(table, rows[table] ?? [])] as const),
    ]);
    const recorded = (rows.clicks ?? []).map(
      (row, i) => [String(Reflect.get(row, "click_id")), `recorded ${i}`] as const,
    );
    this.#words = new Map([...words, ...recorded, [String(programId), "program"]]);
  }

  ofRows(): Record<string, readonly unknown[]> {
    const named = Object.entries(this.#rows).map(
      ([table, rows]) => [table, rows.map((row) => this.of({ ...row }, table))] as const,
    );
    const text = (row: unknown) => JSON.stringify(row);
    return Object.fromEntries(named.map(([table, rows]) => [table, table in unordered ? rows.map(text).sort() : rows]));
  }

  /** `table` is the table of an id whose column name doesn't contain the table. */
  of(value: unknown, table: string, key = ""): unknown {
    if (Array.isArray(value)) return value.map((each) => this.of(each, table, key));
    if (typeof value === "object" && value !== null) {
      const inner = tableOf[key] ?? table;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.of(each, inner, name)]));
    }
    if (typeof value === "string") return this.#text(value, table, key);
    // Events of one commit are ordered by its statements, which can differ.
    if (key === "event_seq") return value !== null;
    if (value !== null && key.endsWith("_number")) return this.#afterEntries(value);
    if (key === "note") return this.#ranks.get("notes")?.get(value) ?? value;
    // Former partners of a sale that has moved.
    if (key === "before") return this.#ranks.get("partners")?.get(value) ?? value;
    const entity = /(\w*?)_?id$/i.exec(key)?.[1];
    if (entity === undefined) return value;
    if (entity === "program") return undefined;
    const of = tableOf[entity.replace(/^one_?time_?/i, "").toLowerCase()] ?? table;
    return this.#ranks.get(of)?.get(value) ?? value;
  }

  /** Numbers of moves without an entry lie between the numbers of entries. */
  #afterEntries(number: unknown): string {
    const entries = (this.#rows.ledger_entries ?? []).filter((row) => Reflect.get(row, "id") < Number(number));
    return `after ${entries.length} entries`;
  }

  #text(value: string, table: string, key: string): unknown {
    if (value.startsWith("{") || (key === "coupons" && value.startsWith("[")))
      return this.of(JSON.parse(value), table, key);
    const commission = (word: string) => this.#ranks.get("commissions")?.get(Number(word));
    const [kind = "", id] = value.split(" ");
    const subject = key === "subject" ? this.#ranks.get(tableOf[kind] ?? "")?.get(Number(id)) : undefined;
    return (
      subject ??
      value
        .split(" ")
        // If a call decides several commissions, each operation id contains the commission's id.
        .map((word) => this.#words.get(word) ?? (key === "operation_id" ? commission(word) : undefined) ?? word)
        .join(" ")
    );
  }
}

const ranksOf = (table: string, rows: readonly object[]): ReadonlyMap<unknown, string> =>
  new Map(rows.map((row, i) => [Reflect.get(row, "id"), `${table} ${i}`]));
