import { couponKey, isCouponCode, maxCodeCharacters } from "#domain/coupons.ts";
import { namedByCode } from "../named-by-code.ts";
import { pastedLines } from "./partner-list.ts";

/** A coupon to create. */
export interface CouponLine {
  readonly line: number;
  readonly code: string;
  /** The partner's code or, in a pasted list, possibly their name. */
  readonly partner: string;
  readonly partnerName?: string | undefined;
}

const isHead = ([code = "", partner = ""]: readonly string[]): boolean =>
  /^(code|coupon|coupon code)$/i.test(code) && /^(partner|partner[ _]code|name)$/i.test(partner);

/** Parses lines of a code and a partner. A first line with these two words as headers is left out. */
export const parseCouponList = (text: string): readonly CouponLine[] =>
  pastedLines(text).flatMap(({ line, cells }, i) => {
    const [code = "", partner = ""] = cells;
    return i === 0 && isHead(cells) ? [] : [{ line, code, partner }];
  });

interface PartnerOfPattern {
  readonly code: string;
  readonly name: string;
}

/**
 * Returns the letters and digits of a text. Removes accents from Latin letters, but not marks of other scripts, where a
 * letter with a mark is another letter.
 */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

const firstWord = (name: string): string => name.trim().split(/\s+/).map(plain).find(Boolean) ?? "";

/**
 * The placeholders of a pattern. `{NAME}` is replaced by the name in upper case, `{name}` by the name in lower case.
 */
const values: Readonly<Record<string, (partner: PartnerOfPattern) => string>> = {
  code: ({ code }) => code,
  name: ({ name }) => plain(name),
  first: ({ name }) => firstWord(name),
};

const placeholders = /\{([^{}]*)\}/g;

/** Returns the reason why a pattern can't be used. Undefined if it can. */
export function faultOfPattern(pattern: string): string | undefined {
  const names = [...pattern.matchAll(placeholders)].map(([, name = ""]) => name);
  if (names.length === 0) return "Use {CODE}, {NAME} or {FIRST}, so that each partner gets a different code.";
  const unknown = names.find((name) => !isPlaceholder(name));
  if (unknown !== undefined) return `Use {CODE}, {NAME} or {FIRST} instead of {${unknown}}.`;
  return /[{}]/.test(pattern.replaceAll(placeholders, "")) ? "Close each { with a }." : undefined;
}

const isPlaceholder = (name: string): boolean =>
  Object.hasOwn(values, name.toLowerCase()) && (name === name.toUpperCase() || name === name.toLowerCase());

/** The code of a partner's coupon by a pattern. Empty if the partner's name has no letters or digits. */
export function couponOfPattern(pattern: string, partner: PartnerOfPattern): string {
  let isEmpty = false;
  const code = pattern.trim().replaceAll(placeholders, (_, name: string) => {
    const value = values[name.toLowerCase()]?.(partner) ?? "";
    isEmpty ||= value === "";
    return name === name.toLowerCase() ? value.toLowerCase() : value.toUpperCase();
  });
  return isEmpty ? "" : code;
}

/** Identifies a line of a pasted list by its number, and a line for a selected partner by the partner. */
const titleOf = ({ line, partner, partnerName }: CouponLine): string =>
  partnerName === undefined ? `Line ${line}` : namedByCode({ name: partnerName, partnerCode: partner });

/** Faults that can be found before the service checks the lines, by line. */
export function faultsOf(lines: readonly CouponLine[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  const seen = new Map<string, CouponLine>();
  for (const each of lines) {
    const { line, code, partner } = each;
    const key = couponKey(code);
    const earlier = seen.get(key);
    if (code === "") faults.set(line, "No code.");
    else if (partner === "") faults.set(line, "No partner.");
    else if ([...code].length > maxCodeCharacters)
      faults.set(line, `The code is too long: use up to ${maxCodeCharacters} characters.`);
    else if (!isCouponCode(code)) faults.set(line, "Use up to 64 printable characters without spaces.");
    else if (earlier !== undefined) faults.set(line, `${titleOf(earlier)} has the same code.`);
    else seen.set(key, each);
  }
  return faults;
}
