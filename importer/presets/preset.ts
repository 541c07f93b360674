import type { ImportKind } from "../columns.ts";

/**
 * The way in which a value is converted. `link` takes the code from a link's address; `cents` takes an amount from a
 * number of the currency's smallest unit.
 */
export type Conversion = "cents" | "link";

/** The source of a column's value. */
export interface ColumnSource {
  /**
   * Headers of which the first one in the file counts. The values of several headers in an entry are joined by a space.
   */
  readonly from: readonly (string | readonly string[])[];
  readonly convert?: Conversion;
  /** The service's value for each value that the file may have (in lower case). Other values are refused. */
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
  /** The other program's name for the file. */
  readonly title: string;
  /** Link to the description of the file's columns. */
  readonly described: string;
  /** For each shape of the file, the headers by which it is recognized, because no other file has all of them. */
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
