/** Each range as the leading bits of its addresses. */
export type Cidrs = readonly string[];

/** Public IPv6 addresses that contain an IPv4 one, to which a gateway may lead, even if it is private. */
export const holdsIpv4 = [
  "::/96", // IPv4-compatible: RFC 4291
  "::ffff:0:0:0/96", // IPv4-translated: RFC 2765
  "64:ff9b::/96", // NAT64: RFC 6052
  "64:ff9b:1::/48", // NAT64 of a network of its own: RFC 8215
  "2001::/32", // Teredo: RFC 4380
  "2002::/16", // 6to4: RFC 3056
];

/**
 * Prefixes of an ISATAP interface id, in any network. The IPv4 address follows to which the packet is forwarded. RFC
 * 5214, section 6.1
 */
const isatap = ["0000:5efe", "0200:5efe"].map((groups) => bitsOfGroups(groups.split(":")));

/** Bits of the range of this address in which an interface that is set up for ISATAP leads to an IPv4 one. */
export function isatapRangeOf(address: string): string | undefined {
  const bits = bitsOf(address) ?? "";
  return isatap.some((id) => bits.startsWith(id, 65)) ? bits.slice(0, 97) : undefined;
}

/** Parses `10.0.0.0/8,2001:db8::/32`. A single address is a range of one. Undefined if any range is invalid. */
export function parseCidrs(text: string): Cidrs | undefined {
  const ranges = text.split(",").map((range) => range.trim());
  const prefixes = ranges.filter((range) => range !== "").map(prefixOf);
  return prefixes.every((prefix) => prefix !== undefined) ? prefixes : undefined;
}

export const isAddress = (text: string): boolean => bitsOf(text) !== undefined;

export function isIn(cidrs: Cidrs, address: string): boolean {
  const bits = bitsOf(address);
  return bits !== undefined && cidrs.some((prefix) => bits.startsWith(prefix));
}

/** True if two texts are the same address, in whichever notation. */
export function isSameAddress(one: string, other: string): boolean {
  const bits = bitsOf(one);
  return bits !== undefined && bits === bitsOf(other);
}

/** The networks in which an address is counted. */
export interface Networks {
  /** The whole IPv4 address, or the /64 of an IPv6 one: a single device can use a whole /64. */
  readonly device: string;
  /** The /48 of an IPv6 address: a provider may assign that much to one customer. */
  readonly site: string | undefined;
}

export function networksOf(address: string): Networks {
  const bits = bitsOf(address);
  if (bits === undefined) return { device: address, site: undefined };
  return { device: bits.slice(0, 65), site: bits.startsWith("6") ? bits.slice(0, 49) : undefined };
}

function prefixOf(range: string): string | undefined {
  const [address = "", length] = range.split(/\/(.*)/);
  const bits = bitsOf(address);
  if (bits === undefined || length === undefined) return bits;
  return /^\d{1,3}$/.test(length) && Number(length) < bits.length ? bits.slice(0, Number(length) + 1) : undefined;
}

const mapped = `6${"0".repeat(80)}${"1".repeat(16)}`;

/** The family, then 32 or 128 bits. An IPv4-mapped IPv6 address counts as IPv4, in any notation. */
function bitsOf(address: string): string | undefined {
  const [, head, dotted] = /^(.*:)?(\d{1,3}(?:\.\d{1,3}){3})$/.exec(address) ?? [];
  const v4 = dotted === undefined ? undefined : binary("4", dotted.split(".").map(Number), 8);
  if (dotted !== undefined && (head === undefined || v4 === undefined)) return v4;
  const bits = bitsOfV6(v4 === undefined ? address : `${head}${hexGroups(v4.slice(1))}`);
  return bits?.startsWith(mapped) ? `4${bits.slice(mapped.length)}` : bits;
}

const hexGroups = (bits: string): string =>
  [bits.slice(0, 16), bits.slice(16)].map((group) => Number.parseInt(group, 2).toString(16)).join(":");

function bitsOfV6(address: string): string | undefined {
  const [left = [], right, more] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - left.length - (right?.length ?? 0);
  if (more !== undefined || (right === undefined ? missing !== 0 : missing < 1)) return undefined;
  const groups = [...left, ...Array<string>(missing).fill("0"), ...(right ?? [])];
  const isHex = groups.every((group) => /^[\da-f]{1,4}$/i.test(group));
  return isHex ? `6${bitsOfGroups(groups)}` : undefined;
}

function bitsOfGroups(groups: readonly string[]): string {
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}

function binary(family: string, numbers: readonly number[], bits: number): string | undefined {
  const digits = numbers.map((number) => number.toString(2).padStart(bits, "0")).join("");
  return digits.length === numbers.length * bits ? family + digits : undefined;
}
