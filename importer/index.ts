export type { DecimalSign } from "./amounts.ts";
export { type Column, type ColumnForm, type ImportKind, importColumns, importKinds } from "./columns.ts";
export { csvLine } from "./csv.ts";
export { currencyDigits, decimalText } from "./currency.ts";
export type { DateOrder } from "./dates.ts";
export {
  faultInWords,
  type GivenMapping,
  type Mapping,
  type MappingFault,
  type MappingOptions,
  type MappingResult,
  mapHeaders,
} from "./mapping.ts";
export {
  type CurrencyTotal,
  type Prepared,
  type PreparedRow,
  type PrepareOptions,
  prepareRows,
  totalsOf,
} from "./prepare.ts";
export type { ColumnSource, Conversion, Preset, PresetFile, RowFilter } from "./presets/preset.ts";
export { type Detected, detectPresets, findPreset, presets } from "./presets/presets.ts";
export { type Problem, problemInWords } from "./problems.ts";
export { type ProblemCode, problemCodes } from "./reading.ts";
export { refusedFile } from "./refused-file.ts";
export {
  type CallAnswer,
  type ImportCall,
  maxRowsPerCall,
  maxWaitMs,
  type Sender,
  type SendOptions,
  type Sent,
  sendRows,
  splitCalls,
} from "./send.ts";
export { readTable, type Table, type TableResult, type TableRow } from "./table.ts";
export {
  addUp,
  type CodeCount,
  countCodes,
  type Effects,
  type RefusedRow,
  type RowResult,
  rowResults,
  type Tally,
} from "./tally.ts";
