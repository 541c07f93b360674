export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly additionalProperties?: Schema;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const resolved = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {});

export function fieldsOf(schema: Schema, schemas: Schemas, prefix = ""): readonly Field[] {
  const { properties = {}, required = [], anyOf = [] } = resolved(schema, schemas);
  if (anyOf.length > 0) return uniqueByName(anyOf.flatMap((either) => fieldsOf(either, schemas, prefix)));
  return Object.entries(properties).flatMap(([name, member]) => {
    const { description = "" } = { ...resolved(member, schemas), ...member };
    const field = {
      name: prefix + name,
      type: typeOf(member, schemas),
      isRequired: required.includes(name),
      description,
    };
    return [field, ...fieldsOf(itemOf(member, schemas), schemas, `${prefix}${name}.`)];
  });
}

const itemOf = (schema: Schema, schemas: Schemas): Schema => resolved(schema, schemas).items ?? schema;

const uniqueByName = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ name }, i) => fields.findIndex((field) => field.name === name) === i);

/** The name of a schema's type. Leaves out null, because it means the same as an absent field. */
function typeOf(schema: Schema, schemas: Schemas): string {
  const { type = "any", anyOf, items, enum: values, format } = resolved(schema, schemas);
  if (anyOf !== undefined) return eitherOf(anyOf.map((either) => typeOf(either, schemas)));
  if (values !== undefined) return eitherOf(values.map((value) => (value === null ? "" : JSON.stringify(value))));
  const types = (typeof type === "string" ? [type] : type).filter((name) => name !== "null");
  const named = types.map((name) => (name === "array" && items ? `${typeOf(items, schemas)}[]` : name));
  return format === undefined ? eitherOf(named) : `${eitherOf(named)} (${format})`;
}

const eitherOf = (types: readonly string[]): string => [...new Set(types)].filter((type) => type !== "").join(" | ");
