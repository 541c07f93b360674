import { snakeCase } from "#domain/snake-case.ts";
import * as z from "./zod.ts";

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type CamelKeys<T> = T extends readonly (infer Item)[]
  ? CamelKeys<Item>[]
  : T extends object
    ? { [Name in keyof T as Name extends string ? CamelCase<Name> : Name]: CamelKeys<T[Name]> }
    : T;

type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

export type SnakeKeys<T> = T extends readonly (infer Item)[]
  ? SnakeKeys<Item>[]
  : T extends object
    ? { [Name in keyof T as Name extends string ? SnakeCase<Name> : Name]: SnakeKeys<T[Name]> }
    : T;

export const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export const snakeKeys = <T>(value: CamelKeys<T>): T => renamed(value) as T;
export const inSnakeCase = <T>(value: T): SnakeKeys<T> => renamed(value) as SnakeKeys<T>;
export const inCamelCase = <T>(value: T): CamelKeys<T> => renamed(value, camelCase) as CamelKeys<T>;

type Rename = (name: string) => string;

function renamed(value: unknown, rename: Rename = snakeCase): unknown {
  if (Array.isArray(value)) return value.map((member) => renamed(member, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), renamed(member, rename)]));
}

/** The schema of a body whose own fields have snake_case names. Names inside the fields don't change. */
export const snakeInput = <Shape extends Readonly<Record<string, z.ZodType>>>({ shape }: z.ZodObject<Shape>) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([name, field]) => [snakeCase(name), field])) as {
      [Name in keyof Shape as SnakeCase<Name & string>]: Shape[Name];
    },
  );

/**
 * Converts a schema to camelCase names. Supports objects, lists, discriminated unions, and optional and nullable
 * values.
 */
export const camelSchema = <Schema extends z.ZodType>(schema: Schema): z.ZodType<CamelKeys<z.output<Schema>>> =>
  convert(schema, camelCase) as z.ZodType<CamelKeys<z.output<Schema>>>;

/** Converts a schema to snake_case names. */
export const snakeSchema = <Schema extends z.ZodType>(schema: Schema): z.ZodType<SnakeKeys<z.output<Schema>>> =>
  convert(schema, snakeCase) as z.ZodType<SnakeKeys<z.output<Schema>>>;

function convert(schema: z.core.$ZodType, rename: Rename): z.ZodType {
  const converted = convertBare(schema, rename);
  const description = schema instanceof z.ZodType ? schema.description : undefined;
  return description === undefined || converted === schema ? converted : converted.describe(description);
}

function convertBare(schema: z.core.$ZodType, rename: Rename): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape);
    return z.object(Object.fromEntries(fields.map(([name, field]) => [rename(name), convert(field, rename)])));
  }
  if (schema instanceof z.ZodArray) return z.array(convert(schema.element, rename));
  if (schema instanceof z.ZodNullable) return convert(schema.unwrap(), rename).nullable();
  if (schema instanceof z.ZodOptional) return convert(schema.unwrap(), rename).optional();
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return z.union(schema.options.map((option) => convert(option, rename)));
  }
  if (schema instanceof z.ZodType) return schema;
  throw new Error("a schema of zod's core alone");
}
