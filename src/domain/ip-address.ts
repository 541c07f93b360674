/** Ranges of addresses, each as the leading bits that its addresses share. */
export type Cidrs = readonly string[];

/**
 * IPv6 ranges whose addresses contain an IPv4 address. A gateway may forward to that address, even if it is private.
 */
export const holdsIpv4 = [
  "::/96", // IPv4-compatible: RFC 4291
  "::ffff:0:0:0/96", // IPv4-translated: RFC 2765
  "64:ff9b::/96", // NAT64: RFC 6052
  "64:ff9b:1::/48", // NAT64 with a local prefix: RFC 8215
  "2001::/32", // Teredo: RFC 4380
  "2002::/16", // 6to4: RFC 3056
];

/**
 * Prefixes of an ISATAP interface id (RFC 5214, section 6.1), which may occur in any network. The next 32 bits are the
 * IPv4 address to which the packet is forwarded.
 */
const isatap = ["0000:5efe", "0200:5efe"].map((groups) => bitsOfGroups(groups.split(":")));

/** The leading bits of an ISATAP address, up to the IPv4 address in it. Undefined if it isn't an ISATAP address. */
export function isatapRangeOf(address: string): string | undefined {
  const bits = bitsOf(address) ?? "";
  return isatap.some((id) => bits.startsWith(id, 65)) ? bits.slice(0, 97) : undefined;
}

/**
 * Parses ranges such as `10.0.0.0/8,2001:db8::/32`. A single address is a range of its own. Undefined if a range is
 * invalid.
 */
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

/** True if two texts are the same address, in any notation. */
export function isSameAddress(one: string, other: string): boolean {
  const bits = bitsOf(one);
  return bits !== undefined && bits === bitsOf(other);
}

/** The networks by which requests from an address are counted. */
export interface Networks {
  /** The whole IPv4 address, or the /64 of an IPv6 address, because one device can use a whole /64. */
  readonly device: string;
  /** The /48 of an IPv6 address, because a provider may assign one to a single customer. Undefined for IPv4. */
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

/** `4` or `6`, followed by 32 or 128 bits. An IPv4-mapped IPv6 address is treated as IPv4. Undefined if invalid. */
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
