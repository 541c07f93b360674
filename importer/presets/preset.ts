import type { ImportKind } from "../columns.ts";

/** `link`: a code, from the address of a link. `cents`: an amount, from a number of the currency's smallest unit. */
export type Conversion = "cents" | "link";

/** Source of a column's value. */
export interface ColumnSource {
  /** The first that the file has. Several headers: their values, joined by a space. */
  readonly from: readonly (string | readonly string[])[];
  readonly convert?: Conversion;
  /** Values that mean another one here, in lower case. */
  readonly values?: Readonly<Record<string, string>>;
  /** Further headers, whose values are added as further codes. */
  readonly also?: readonly string[];
}

/** Rows are imported or left out by the cell of this header, in lower case. Any other value is a problem. */
export interface RowFilter {
  readonly header: string;
  readonly imported: readonly string[];
  readonly leftOut: readonly string[];
  /** A file without the header is imported whole. Otherwise, it isn't imported. */
  readonly isOptional?: true;
}

/** A file that the other program exports. */
export interface PresetFile {
  /** The other program's name for it. */
  readonly title: string;
  /** Link to the description of its columns. */
  readonly described: string;
  /** Headers that no other file of the kind has together, for each shape of the file. */
  readonly detect: readonly (readonly string[])[];
  readonly columns: Readonly<Record<string, ColumnSource>>;
  readonly only?: readonly RowFilter[];
}

export interface Preset {
  readonly id: string;
  readonly name: string;
  /** The source of the rows, unless another one is named. */
  readonly source: string;
  /** Parameters of its links that hold the code; the first is the default. Empty: none does. */
  readonly linkParams: readonly string[];
  readonly files: Readonly<Record<Exclude<ImportKind, "coupons">, PresetFile>> & { readonly coupons?: PresetFile };
}
