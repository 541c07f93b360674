import { type AmountOptions, readAmount, readCents } from "./amounts.ts";
import { damageOfCode, damageOfId } from "./damage.ts";
import { type DateOrder, readInstant } from "./dates.ts";
import type { MappedColumn } from "./mapping.ts";
import { isPlaceholder } from "./placeholder.ts";
import { type Reading, read, unread } from "./reading.ts";
import { trimmed } from "./trim.ts";

/** The longest text that is read, longer than any value that the service accepts. */
const maxLength = 2_048;

export interface CellOptions extends AmountOptions {
  readonly dateOrder: DateOrder | undefined;
  /** Query parameters whose value in a partner's link is the code. */
  readonly linkParams: readonly string[];
}

/** Digits after an apostrophe, by which a spreadsheet marks them as text. */
const markedDigits = /^'(?=\d+$)/;

/** The text of a column in a row. */
export const textOf = (cells: readonly string[], at: readonly number[]): string =>
  at
    .map((place) => trimmed(cells[place] ?? "").replace(markedDigits, ""))
    .filter((text) => text !== "")
    .join(" ");

/** Reads a cell that a spreadsheet saved. The text isn't empty. */
export function readCell(mapped: MappedColumn, text: string, options: CellOptions): Reading {
  if (text.length > maxLength) return unread(`at most ${maxLength} characters`);
  const { values } = mapped;
  const word = text.toLowerCase();
  if (values !== undefined && !Object.hasOwn(values, word)) return unread(`one of ${Object.keys(values).join(", ")}`);
  const meant = values?.[word] ?? text;
  if (mapped.convert === "link") {
    const code = codeOfLink(meant, options.linkParams);
    if (code === undefined) return unread("a code, or the address of a partner's link");
    return readForm(mapped, code, options);
  }
  return mapped.convert === "cents" ? readCents(meant, options) : readForm(mapped, meant, options);
}

function readForm({ column }: MappedColumn, text: string, options: CellOptions): Reading {
  switch (column.form) {
    case "id":
      if (isPlaceholder(text)) return unread("an id, not what stands for a missing one", "placeholder_id");
      return damageOfId(text) ?? read(text);
    case "code":
      return damageOfId(text) ?? read(text);
    case "text":
      return read(text);
    case "word":
      return read(text.toLowerCase());
    case "codes":
      return readCodes(text);
    case "currency":
      return /^[a-z]{3}$/i.test(text) || options.units?.has(text.toUpperCase())
        ? read(text.toUpperCase())
        : unread("a currency code such as EUR");
    case "amount":
      return readAmount(text, options);
    case "instant":
      return readInstant(text, options.dateOrder);
    case "yesNo":
      return readYesNo(text.toLowerCase());
  }
}

/** Reads codes that are separated by semicolons. */
export function readCodes(text: string): Reading<string> {
  const codes = splitCodes(text);
  const damage = [text, ...codes].map(damageOfCode).find((found) => found !== undefined);
  return damage ?? read(codes.join(";"));
}

/** Splits codes that are separated by semicolons, commas or spaces. */
export const splitCodes = (text: string): string[] =>
  text
    .split(/[;,\s]+/)
    .map((code) => trimmed(code).replace(markedDigits, ""))
    .filter((code) => code !== "");

const yes = ["true", "yes", "1"];
const no = ["false", "no", "0"];

function readYesNo(text: string): Reading<boolean> {
  if (yes.includes(text)) return read(true);
  return no.includes(text) ? read(false) : unread(`one of ${[...yes, ...no].join(", ")}`);
}

/** The code that a link holds in one of its parameters, or else in the last part of its path. */
export function codeOfLink(text: string, params: readonly string[]): string | undefined {
  if (!/[/?]/.test(text)) return text;
  const [address = "", query = ""] = text.replace(/#.*$/, "").split("?", 2);
  const given = new URLSearchParams(query);
  const code = params.map((name) => given.get(name)?.trim()).find(Boolean);
  const [, path = ""] = /^(?:[a-z]+:\/\/)?[^/]+\/+(.*?)\/*$/i.exec(address) ?? [];
  return code ?? (decoded(path.split("/").at(-1) ?? "") || undefined);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
