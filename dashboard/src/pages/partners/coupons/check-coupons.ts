import type { PreparedRow, RowResult } from "../../../../../importer/index.ts";
import { mapConcurrent } from "../../../api/map-concurrent.ts";
import { formatCount, pluralize } from "../../../format.ts";
import { type CouponLine, faultsOf } from "../../../forms/coupon-lines.ts";

/** The validity of coupons, with the field names of the import. */
type Validity = Readonly<Partial<Record<"valid_from" | "valid_until", string>>>;

export interface CheckedCoupons {
  readonly lines: readonly CouponLine[];
  readonly validity: Validity;
  readonly faults: ReadonlyMap<number, string>;
  /** Lines whose coupon the partner already has. */
  readonly present: ReadonlySet<number>;
  /** The lines of `present` whose coupon is paused. */
  readonly paused: ReadonlySet<number>;
  /** Lines with a warning: their partner is paused. */
  readonly unpaid: ReadonlySet<number>;
}

const refusals: Readonly<Record<string, string>> = {
  coupon_taken: "Another partner has this code.",
  coupons_full: "The program can't have more coupons.",
  differs: "This partner already has the coupon, with another validity or status.",
  never_valid: "The coupon would end before it begins.",
  partner_erased: "This partner was erased.",
  placeholder_id: "This isn't a code.",
  unknown_partner: "No partner has this code or name.",
};

const noPartner = "unknown_partner";

export const refusalOf = ({ code = "" }: RowResult): string => refusals[code] ?? "This line can't be read.";

export const rowOf = ({ line, code, partner }: CouponLine, validity: Validity): PreparedRow => ({
  line,
  code,
  partner_code: partner,
  ...validity,
});

export const isNew = ({ faults, present }: CheckedCoupons, { line }: CouponLine): boolean =>
  !(faults.has(line) || present.has(line));

export const rowsToCreate = (checked: CheckedCoupons): readonly PreparedRow[] =>
  checked.lines.filter((line) => isNew(checked, line)).map((line) => rowOf(line, checked.validity));

export const rowsToResume = ({ lines, paused }: CheckedCoupons): readonly PreparedRow[] =>
  lines.filter(({ line }) => paused.has(line)).map((line) => ({ ...rowOf(line, {}), status: "active" }));

/** The text of the button, such as "Create 3 coupons and resume 2". */
export function createLabel(checked: CheckedCoupons): string {
  const created = rowsToCreate(checked).length;
  const resumed = checked.paused.size;
  if (resumed === 0) return `Create ${pluralize(created, "coupon")}`;
  if (created === 0) return `Resume ${pluralize(resumed, "coupon")}`;
  return `Create ${pluralize(created, "coupon")} and resume ${formatCount(resumed)}`;
}

interface Checking {
  readonly lines: readonly CouponLine[];
  readonly validity: Validity;
  /** Checks rows by a dry run of the import. `update`: rows may change coupons. */
  check(rows: readonly PreparedRow[], update?: boolean): Promise<readonly RowResult[]>;
  /** The codes of all partners with this name. */
  codesOfName?(name: string): Promise<readonly string[]>;
}

/** Maximum number of names that are looked up for one list. */
const maxLookups = 200;
const lookupsAtOnce = 4;

/** Checks all lines before any coupon is created. */
export async function checkCoupons({ lines, validity, check, codesOfName }: Checking): Promise<CheckedCoupons> {
  const first = faultsOf(lines);
  const readable = lines.filter(({ line }) => !first.has(line));
  const results = new Map<number, RowResult>();
  const add = async (some: readonly CouponLine[]) => {
    if (some.length === 0) return;
    for (const result of await check(some.map((line) => rowOf(line, validity)))) results.set(result.line, result);
  };
  await add(readable);
  const unknown = readable.filter(({ line }) => results.get(line)?.code === noPartner);
  const named = codesOfName === undefined ? [] : await withCodes(unknown, codesOfName);
  await add(named);
  const renamed = new Map(named.map((each) => [each.line, each]));
  const refused = [...results.values()].flatMap((result) =>
    result.result === "refused" ? [[result.line, refusalOf(result)] as const] : [],
  );
  const found = {
    lines: lines.map((each) => renamed.get(each.line) ?? each),
    validity,
    faults: new Map([...first, ...refused]),
    present: new Set([...results.values()].flatMap(({ line, result }) => (result === "unchanged" ? [line] : []))),
    paused: new Set<number>(),
    unpaid: new Set([...results.values()].flatMap(({ line, warnings }) => (warnings ? [line] : []))),
  };
  const active = rowsToResume({ ...found, paused: found.present });
  if (active.length === 0) return found;
  for (const { line, result } of await check(active, true)) if (result === "updated") found.paused.add(line);
  // Finds expired coupons: if they began now, they would end before they begin.
  const valid_from = new Date().toISOString();
  for (const { line, code } of await check(
    active.map((row) => ({ ...row, valid_from })),
    true,
  )) {
    if (code !== "never_valid") continue;
    found.faults.set(line, expired);
    found.present.delete(line);
    found.paused.delete(line);
  }
  return found;
}

const expired = "The partner's coupon has expired. Change when it is valid first.";

/** Adds the partner's code to lines whose name belongs to exactly one partner. */
async function withCodes(
  lines: readonly CouponLine[],
  codesOfName: (name: string) => Promise<readonly string[]>,
): Promise<readonly CouponLine[]> {
  const names = [...new Set(lines.map(({ partner }) => partner))].slice(0, maxLookups);
  const found = await mapConcurrent(names, lookupsAtOnce, async (name) => [name, await codesOfName(name)] as const);
  const codeOf = new Map(found.flatMap(([name, [code, another]]) => (code && !another ? [[name, code] as const] : [])));
  return lines.flatMap((each) => {
    const code = codeOf.get(each.partner);
    return code === undefined ? [] : [{ ...each, partner: code, partnerName: each.partner }];
  });
}
