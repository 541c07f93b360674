import { clamped } from "#domain/money.ts";
import { type CamelCase, camelCase } from "./camel-keys.ts";
import { int64 } from "./integers.ts";
import { timestamp, timestampOrNull } from "./timestamp.ts";
import * as z from "./zod.ts";

/** A field of a reply whose value or name differs from the stored one. */
export interface Field<Stored, Schema extends z.ZodType, Column extends string | undefined = undefined> {
  readonly schema: Schema;
  readonly column: Column;
  encode(stored: Stored): z.output<Schema>;
}

/** A plain schema means that the value is sent as stored. */
type Declared = z.ZodType | Field<never, z.ZodType, string | undefined>;

type SchemaOf<D> = D extends { readonly schema: infer Schema extends z.ZodType }
  ? Schema
  : D extends z.ZodType
    ? D
    : never;
type StoredOf<D> = D extends { readonly schema: z.ZodType; encode(stored: infer Stored): unknown }
  ? Stored
  : D extends z.ZodType
    ? z.output<D>
    : never;
type ColumnOf<Name, D> = D extends { readonly column: infer Column extends string } ? Column : CamelCase<Name & string>;

type Declarations = Readonly<Record<string, Declared>>;
type Shape<Fields> = { -readonly [Name in keyof Fields]: SchemaOf<Fields[Name]> };
type Reply<Fields> = z.output<z.ZodObject<Shape<Fields>>>;
/** The columns of a row that a record needs. */
type RowOf<Fields> = {
  readonly [Name in keyof Fields as ColumnOf<Name, Fields[Name]>]: StoredOf<Fields[Name]>;
};

export const encoded = <Stored, Schema extends z.ZodType>(
  schema: Schema,
  encode: (stored: Stored) => z.output<Schema>,
): Field<Stored, Schema> => ({ schema, column: undefined, encode });

/** Declares a field whose name differs from its column. */
export const from = <const Column extends string, D extends Declared>(column: Column, declared: D) => ({
  ...fieldOf(declared),
  column,
});

const described = <Schema extends z.ZodType>(schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : schema.describe(description);

/** ISO 8601, converted from milliseconds. */
export const instant = (description?: string) => encoded(described(z.iso.datetime(), description), timestamp);
export const instantOrNull = (description?: string) =>
  encoded(described(z.iso.datetime().nullable(), description), (at: number | null) => timestampOrNull(at));
export const sum = (description?: string) => encoded(described(int64(), description), clamped);

const fieldOf = <D extends Declared>(declared: D) =>
  (declared instanceof z.ZodType ? encoded(declared, (stored: never) => stored) : declared) as Field<
    StoredOf<D>,
    SchemaOf<D>,
    string | undefined
  >;

interface WireRecord<Fields> {
  readonly schema: z.ZodObject<Shape<Fields>>;
  reply(row: RowOf<Fields>): Reply<Fields>;
  /** Returns columns of a CSV file, with the names and values of these fields. */
  columns<Name extends keyof Fields & string>(
    ...names: readonly Name[]
  ): { readonly [N in Name]: (row: RowOf<Fields>) => z.output<SchemaOf<Fields[N]>> };
  /** Returns the record without these fields. It has no name in the OpenAPI document. */
  omit<Name extends keyof Fields & string>(...names: readonly Name[]): WireRecord<Omit<Fields, Name>>;
  extend<const More extends Declarations>(name: string, more: More): WireRecord<Fields & More>;
}

const shapeOf = <Fields extends Declarations>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, declared]) => [name, fieldOf(declared).schema]),
  ) as Shape<Fields>;

/**
 * Declares a reply: its schema, and the conversion of a row to it. With a `name`, it is a component of the OpenAPI
 * document. A field is read from the column of the same name in camelCase.
 */
export function record<const Fields extends Declarations>(
  name: string | undefined,
  fields: Fields,
): WireRecord<Fields> {
  const schema = z.object(shapeOf(fields));
  return recordOf(name === undefined ? schema : schema.openapi(name), fields);
}

function recordOf<Fields extends Declarations>(schema: z.ZodObject<Shape<Fields>>, fields: Fields): WireRecord<Fields> {
  const members = Object.entries(fields).map(([name, declared]) => {
    const { column = camelCase(name), encode } = fieldOf(declared);
    return [name, (row: RowOf<Fields>) => encode(Reflect.get(row, column) as never)] as const;
  });
  const columns = Object.fromEntries(members);
  return {
    schema,
    reply: (row) => Object.fromEntries(members.map(([name, encode]) => [name, encode(row)])) as Reply<Fields>,
    columns: (...names) => Object.fromEntries(names.map((name) => [name, columns[name]])) as never,
    omit: (...names) =>
      record(
        undefined,
        Object.fromEntries(Object.entries(fields).filter(([name]) => !names.some((n) => n === name))),
      ) as never,
    extend: (name, more) => recordOf(schema.extend(shapeOf(more)).openapi(name) as never, { ...fields, ...more }),
  };
}
