import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  type DateOrder,
  type DecimalSign,
  detectPresets,
  faultInWords,
  findPreset,
  type ImportKind,
  importKinds,
  mapHeaders,
  type Prepared,
  type Preset,
  prepareRows,
  presets,
  readTable,
  type Table,
} from "../../../importer/index.ts";
import { readFlags, UsageError } from "../flags.ts";
import { nearest } from "../nearest.ts";

const flags = {
  preset: { type: "string" },
  source: { type: "string" },
  map: { type: "string", multiple: true },
  update: { type: "boolean" },
  "pay-past": { type: "boolean" },
  "dry-run": { type: "boolean" },
  "date-order": { type: "string" },
  "decimal-sign": { type: "string" },
  refused: { type: "string" },
  yes: { type: "boolean" },
} as const;

/** The command line's options, and the file's content. */
export interface ImportPlan {
  readonly kind: ImportKind;
  readonly file: string;
  readonly table: Table;
  readonly prepared: Prepared;
  readonly preset: Preset | undefined;
  /** The file's headers that aren't imported. */
  readonly unused: readonly string[];
  readonly source: string;
  readonly update: boolean;
  readonly isDryRun: boolean;
  /** True if the rows are imported without a question. */
  readonly isSure: boolean;
  /** The file for refused rows. */
  readonly refusedPath: string | undefined;
  readonly url: string | undefined;
  readonly isJson: boolean;
}

/** Reads the command line and the file. Throws a `UsageError` if either is invalid. */
export function readPlan(args: string[]): ImportPlan {
  const { values, positionals } = readFlags(args, flags, 2);
  const [name = "", file] = positionals;
  const kind = importKinds.find((each) => each === name);
  if (kind === undefined) throw new UsageError(`Name what the file holds: ${importKinds.join(", ")}.`);
  if (file === undefined) throw new UsageError("No file given.");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`);
  const refusedPath = values.refused;
  if (refusedPath !== undefined) checkRefusedPath(refusedPath, file);
  const dateOrder = oneOf<DateOrder>("date-order", values["date-order"], ["dmy", "mdy"]);
  const decimalSign = oneOf<DecimalSign>("decimal-sign", values["decimal-sign"], ["point", "comma"]);
  const given = givenMapping(values.map ?? []);

  const read = readTable(readFileSync(file));
  if (!read.ok) throw new UsageError(`${file}: ${read.message}`);
  const { table } = read;
  const preset = values.preset === undefined ? presetOf(kind, table, given) : namedPreset(values.preset);
  const mapped = mapHeaders(kind, table.headers, { given, file: preset?.files[kind] });
  if (!mapped.ok) {
    throw new UsageError(`${file}: ${faultInWords(mapped.fault)} To use a column of another name: --map column=Name`);
  }
  const prepared = prepareRows({
    kind,
    table,
    mapping: mapped.mapping,
    dateOrder,
    decimalSign,
    paysPast: values["pay-past"] === true,
    linkParams: preset?.linkParams ?? [],
  });
  return {
    kind,
    file,
    table,
    prepared,
    preset,
    unused: mapped.mapping.unused,
    source: sourceOf(values.source ?? preset?.source ?? "CSV file"),
    update: values.update === true,
    isDryRun: values["dry-run"] === true,
    isSure: values.yes === true,
    refusedPath,
    url: values.url,
    isJson: values.json === true,
  };
}

function checkRefusedPath(path: string, file: string): void {
  if (resolve(path) === resolve(file)) throw new UsageError("The file and --refused must be two different files.");
  if (!statSync(dirname(resolve(path)), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`There is no folder for --refused ${path}.`);
  }
}

function oneOf<Value extends string>(flag: string, text: string | undefined, values: readonly Value[]) {
  const value = values.find((each) => each === text);
  if (text === undefined || value !== undefined) return value;
  throw new UsageError(`--${flag} must be ${values.join(" or ")}.`);
}

function givenMapping(maps: readonly string[]): Record<string, string> {
  const pairs = maps.map((text) => {
    const at = text.indexOf("=");
    if (at > 0 && at < text.length - 1) return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
    throw new UsageError(`--map ${text}: write column=Header, such as --map customer_key="User ID".`);
  });
  return Object.fromEntries(pairs);
}

function namedPreset(id: string): Preset {
  const ids = presets.map((preset) => preset.id);
  const meant = nearest(id, ids);
  const preset = findPreset(id);
  if (preset !== undefined) return preset;
  throw new UsageError(`Unknown preset "${id}". ${meant ? `Did you mean ${meant}?` : `Presets: ${ids.join(", ")}.`}`);
}

/**
 * Returns the preset for a file. A file with the service's own columns needs none; otherwise the preset is the only one
 * with these headers.
 */
function presetOf(kind: ImportKind, { headers }: Table, given: Record<string, string>): Preset | undefined {
  if (mapHeaders(kind, headers, { given }).ok) return undefined;
  const found = detectPresets(headers).filter((each) => each.kind === kind);
  return found.length === 1 ? found[0]?.preset : undefined;
}

function sourceOf(text: string): string {
  const source = text.trim();
  if (source !== "" && source.length <= 40) return source;
  throw new UsageError("--source must have 1 to 40 characters.");
}
