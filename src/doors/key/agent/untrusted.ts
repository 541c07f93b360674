import { escaped } from "./few-rows.ts";

/** The part of JSON Schema that the schemas of responses use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

const ownFormats: ReadonlySet<string | undefined> = new Set(["date-time", "date"]);

/**
 * Returns RFC 6901 pointers to the strings of `value` that may contain text written by others, such as partners or
 * customers. A string is trusted only if its schema allows nothing but a date or the service's own values.
 */
export function untrustedIn(value: unknown, schema: JsonSchema): readonly string[] {
  const { $defs = {} } = schema;
  const found: string[] = [];

  const alternatives = (of: JsonSchema): readonly JsonSchema[] => {
    const { $ref, anyOf = [], oneOf = [], allOf = [] } = of;
    const target = $ref === undefined ? undefined : $ref === "#" ? schema : $defs[$ref.replace("#/$defs/", "")];
    return [of, ...[...anyOf, ...oneOf, ...allOf, ...(target === undefined ? [] : [target])].flatMap(alternatives)];
  };

  const walk = (part: unknown, schemas: readonly JsonSchema[], pointer: string): void => {
    const known = schemas.flatMap(alternatives);
    if (typeof part === "string" && !known.some((each) => isOwn(part, each))) found.push(pointer);
    if (part === null || typeof part !== "object") return;
    for (const [name, child] of Object.entries(part)) {
      const ofChild = known.flatMap((each) =>
        Array.isArray(part) ? itemsOf(each, Number(name)) : fieldOf(each, name),
      );
      walk(child, ofChild, `${pointer}/${escaped(name)}`);
    }
  };

  walk(value, [schema], "");
  return found;
}

const isOwn = (text: string, { enum: values, const: only, format }: JsonSchema): boolean =>
  values?.includes(text) === true || only === text || ownFormats.has(format);

const itemsOf = ({ items, prefixItems }: JsonSchema, i: number): readonly JsonSchema[] =>
  [prefixItems?.[i] ?? items].filter((each) => each !== undefined);

function fieldOf({ properties, additionalProperties }: JsonSchema, name: string): readonly JsonSchema[] {
  const own = properties?.[name];
  if (own !== undefined) return [own];
  return typeof additionalProperties === "object" ? [additionalProperties] : [];
}
