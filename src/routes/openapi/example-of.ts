import type { Schema, Schemas } from "../docs/schema.ts";

/** A schema in the document, with keywords that the public API's page doesn't need. */
interface AnySchema extends Schema {
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const instant = "2026-03-01T12:00:00.000Z";
const end = "2026-03-16T12:00:00.000Z";

/**
 * Example texts by property name. The pattern is matched against the end of the name in lower case without underscores.
 * The first match is used.
 */
const texts: readonly (readonly [RegExp, string])[] = [
  [/email$/, "anna@blog.example"],
  [/currenc(y|ies)$/, "EUR"],
  [/password$/, "correct horse battery"],
  [/^(coupon)?codes$/, "BEN10"],
  [/(partnercode|code)$/, "anna"],
  [/codeparam$/, "via"],
  [/^sub$/, "newsletter"],
  [/timezone$/, "Europe/Amsterdam"],
  [/(partner|invitedby|actor|subject|setby)name$/, "Anna's Blog"],
  [/name$/, "Northwind Outdoor"],
  [/destinationurl$|link$/, "https://shop.example/?aff=anna"],
  [/(invite|docs)?url$/, "https://shop.example/shoes"],
  [/transactionid$/, "order-1001"],
  [/refundid$/, "refund-1"],
  [/customerkey$/, "user-42"],
  [/subscriptionid$/, "sub_1"],
  [/productid$/, "shoes"],
  [/payoutreference$/, "2026-03"],
  [/reference$/, "march-bonus"],
  [/reason$|note$/, "Agreed by phone"],
  [/^ref$/, "7F3K2QX0AB"],
  [/^terms$/, "Paid monthly"],
  [/holdend$/, "2026-03-16"],
  [/^commission$/, "20 % of each sale"],
  [/country$/, "NL"],
  [/masked$/, "trb_…4f2a"],
  [/(date|dateto|datefrom|from|to|day|postedon)$/, "2026-03-01"],
  [/cursor$/, "eyJpZCI6NDJ9"],
  [/message$|text$|remedy$/, "Anna's Blog earned €9.80 on this sale."],
];

const formats: Readonly<Record<string, string>> = {
  "date-time": instant,
  date: "2026-03-01",
  uri: "https://shop.example/shoes",
  email: "anna@blog.example",
};

const plainOf = (name: string): string => name.toLowerCase().replaceAll("_", "");

function textFor({ format = "", pattern }: AnySchema, name: string): string {
  const plain = plainOf(name);
  const named = texts.find(([end]) => end.test(plain))?.[1] ?? "9f8c2b7e5d31";
  const ofFormat = format === "date-time" && plain.endsWith("until") ? end : formats[format];
  const fitting = [ofFormat ?? named, "42"].find((text) => pattern === undefined || new RegExp(pattern).test(text));
  return fitting ?? named;
}

/** Example integers, chosen like `texts`. They describe a sale of 49.00 that earns 20 %, without refunds or payouts. */
const integers: readonly (readonly [RegExp, number])[] = [
  [/(refunded|returned|carried|inpayout|(?<!un)paid|opening)cents$/, 0],
  [/(sale|sold)amountcents$|(revenue|minimum|floor|threshold)cents$/, 4_900],
  [/cents$/, 980],
  [/bps$/, 2_000],
  [/id$/, 42],
];

function integerFor({ minimum = 0 }: AnySchema, name: string): number {
  const plain = plainOf(name);
  const [, usual = 3] = integers.find(([end]) => end.test(plain)) ?? [];
  return Math.max(usual, minimum);
}

/**
 * True for fields of events that haven't happened: the example's commission is pending, and its coupon doesn't expire.
 */
const isAbsent = (schema: AnySchema, name: string): boolean =>
  [schema.type].flat().includes("null") && /(?<!hold)(at|since|until|reason|note|cursor)$/.test(plainOf(name));

/** Flags that are false in examples. All others are true. */
const unset = /(held|unconfirmed|review|testmode|inpayout|exempt|hasmore|corrected)$/;

/**
 * Returns an example of the schema. It uses the examples in the schema and, for properties without one, their names.
 */
export function exampleOf(schema: Schema, schemas: Schemas, name = ""): unknown {
  const found = resolved(schema, schemas);
  const own = [
    found.example,
    found.examples?.[0],
    found.const,
    found.enum?.find((each) => each !== null),
    found.default,
  ];
  const given = own.find((value) => value !== undefined);
  if (given !== undefined) return given;
  const [either] = [...(found.anyOf ?? []), ...(found.oneOf ?? [])].filter(({ type }) => type !== "null");
  if (either !== undefined && found.properties === undefined) return exampleOf(either, schemas, name);
  if (found.allOf !== undefined) return Object.assign({}, ...found.allOf.map((part) => exampleOf(part, schemas, name)));
  return ofType(found, schemas, name);
}

function ofType(schema: AnySchema, schemas: Schemas, name: string): unknown {
  if (isAbsent(schema, name)) return null;
  switch ([schema.type ?? []].flat().find((type) => type !== "null")) {
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items, schemas, name)];
    case "integer":
    case "number":
      return integerFor(schema, name);
    case "boolean":
      return !unset.test(plainOf(name));
    case "string":
      return textFor(schema, name);
    case undefined:
      return schema.properties === undefined ? null : membersOf(schema, schemas);
    default:
      return membersOf(schema, schemas);
  }
}

/** Fields left out of examples, because they exist only with a rotated key or a truncated event. */
const rare = ["warnings", "truncated"];

const membersOf = ({ properties = {} }: Schema, schemas: Schemas): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !rare.includes(name))
      .map(([name, member]) => [name, exampleOf(member, schemas, name)]),
  );

function resolved(schema: Schema, schemas: Schemas): AnySchema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...more } = schema;
  return { ...resolved(schemas[$ref.replace("#/components/schemas/", "")] ?? {}, schemas), ...more };
}
