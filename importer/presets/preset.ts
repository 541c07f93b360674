import type { ImportKind } from "../columns.ts";

/**
 * How a value is converted. `link` takes the code from a link's address; `cents` takes an amount from a number of the
 * currency's smallest unit.
 */
export type Conversion = "cents" | "link";

/** Where a column's value comes from. */
export interface ColumnSource {
  /**
   * Headers of which the first one in the file counts. The values of several headers in an entry are joined by a space.
   */
  readonly from: readonly (string | readonly string[])[];
  readonly convert?: Conversion;
  /** What a value in lower case becomes, if it is called differently here. */
  readonly values?: Readonly<Record<string, string>>;
  /** Further headers, whose values are added as further codes. */
  readonly also?: readonly string[];
}

/** Imports or leaves out rows by the value of this header, in lower case. Any other value is a problem. */
export interface RowFilter {
  readonly header: string;
  readonly imported: readonly string[];
  readonly leftOut: readonly string[];
  /** True if a file without the header is imported completely. Otherwise, it isn't imported. */
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
  /** The source of the rows, if no other one is named. */
  readonly source: string;
  /** Query parameters of links that contain the code; the first is the default. Empty if none does. */
  readonly linkParams: readonly string[];
  readonly files: Readonly<Record<Exclude<ImportKind, "coupons">, PresetFile>> & { readonly coupons?: PresetFile };
}
