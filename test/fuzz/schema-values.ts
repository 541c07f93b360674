import fc from "fast-check";

/** The part of JSON Schema that the service's OpenAPI documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Values at and beyond a type's limits, of another type, or hostile. */
const hostile: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    0.5,
    1e11,
    1e11 + 1,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 63,
    1e21,
    -1e308,
    5e-324,
  ],
  ...[
    "",
    " ",
    "\t",
    "0",
    "-1",
    "1.0",
    "1e3",
    "00",
    "true",
    "null",
    "NaN",
    "x".repeat(256),
    "y".repeat(9_000),
    "é".repeat(255),
  ],
  ...["\u0000", "\u0001", "\u007f", "\ud800", "\udfff\ud800", "\u202e", "\u200b", "👩‍👩‍👧", "ﷺ", "İ", "e\u0301"],
  ...["' or 1=1 --", "'; drop table sales; --", "%", "_", "{{7*7}}", "<script>alert(1)</script>", "=1+1"],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "../../etc/passwd",
    "http://",
    "https://a@b/?aff=x",
    "javascript:alert(1)",
  ],
  ...[
    "https://shop.example/?aff=",
    "https://shop.example/?aff=%00",
    "https://shop.example/?aff=%",
    "https://[::1",
    "//x",
  ],
  ...[
    "2026-02-30",
    "0000-01-01",
    "9999-12-31",
    "2026-02-30T25:61:61Z",
    "9999-12-31T23:59:59.999+23:59",
    "1970-01-01T00:00Z",
  ],
  ...["+010000-01-01T00:00:00Z", "2026-01-01T00:00:00.000000000000001Z", "275760-09-13T00:00:00.001Z"],
  ...[[], {}, [[]], [null], [{}], { a: { b: { c: {} } } }, { test_mode: "true" }, { test_mode: true }, { length: 1 }],
  ...[{ toString: 1 }, { constructor: { prototype: 1 } }, Array(300).fill("a"), nested(40)],
];

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

const instant = fc
  .constantFrom(0, 1, 4, 6, 60, 40 * 1_440, 500 * 1_440, -4, -6, -1_440)
  .map((minutesAgo) => new Date(Date.now() - minutesAgo * 60_000).toISOString());

/** Generates valid values, often at their limits. `known` has sample values by name. */
export function valuesOf(
  schema: Schema,
  resolve: (reference: string) => Schema,
  known: Readonly<Record<string, readonly unknown[]>>,
  name = "",
): fc.Arbitrary<unknown> {
  const again = (inner: Schema, inName = name) => valuesOf(inner, resolve, known, inName);
  if (schema.$ref !== undefined) return again(resolve(schema.$ref));
  const any = schema.anyOf ?? schema.oneOf;
  const plain = any !== undefined ? fc.oneof(...any.map((inner) => again(inner))) : byType(schema, again);
  const told = known[name];
  return told === undefined
    ? plain
    : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...told) }, { weight: 1, arbitrary: plain });
}

type Again = (inner: Schema, name?: string) => fc.Arbitrary<unknown>;

function byType(schema: Schema, again: Again): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const [type = "any", ...others] = [schema.type ?? []].flat();
  if (others.length > 0) return fc.oneof(...[type, ...others].map((one) => byType({ ...schema, type: one }, again)));
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numbers(schema);
    case "string":
      return strings(schema);
    case "array":
      return fc.array(again(schema.items ?? {}), { maxLength: 25 });
    case "object":
      return objects(schema, again);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function numbers({ minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  const least = minimum ?? (exclusiveMinimum === undefined ? Number.MIN_SAFE_INTEGER : exclusiveMinimum + 1);
  return fc.oneof(fc.constantFrom(least, maximum), fc.integer({ min: least, max: maximum }));
}

const lookaheads = /\(\?!(?:[^()]|\([^()]*\))*\)/g;

/** fast-check doesn't support lookaheads, so this filters out the values that they exclude. */
const matching = (pattern: string): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(pattern.replaceAll(lookaheads, ""))).filter((text) => new RegExp(pattern).test(text));

function strings({ format, pattern, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  if (format === "uri") return fc.webUrl({ withQueryParameters: true });
  if (format === "date-time") return instant;
  if (format === "date") return instant.map((text) => text.slice(0, 10));
  if (format === "email") return fc.emailAddress();
  if (pattern !== undefined) return matching(pattern);
  const bound = { minLength, maxLength };
  return fc.oneof(
    fc.string({ ...bound, size: "small" }),
    fc.string({ ...bound, unit: "binary", size: "small" }),
    fc.constantFrom("a".repeat(Math.max(minLength, 1)), "z".repeat(maxLength)),
  );
}

function objects({ properties = {}, required = [] }: Schema, again: Again): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, again(inner, name)]));
  return fc.record(members, { requiredKeys: [...required].filter((name) => name in members) });
}

/** Replaces, removes or adds one or two members, with hostile values. */
export const spoiled = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...hostile, undefined)), { minLength: 1, maxLength: 2 }))
    .map(([value, faults]) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return faults[0]?.[1] ?? null;
      const names = [...Object.keys(value), "unknown", "__proto__"];
      const entries = faults.map(([at, bad]) => [names[at % names.length] ?? "unknown", bad] as const);
      return { ...value, ...Object.fromEntries(entries) };
    });

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostile.map((value) => JSON.stringify(value) ?? "")),
  fc.constantFrom(
    "",
    "{",
    "}",
    "[",
    "null",
    '"',
    "{}{}",
    '{"a":1,}',
    "{'a':1}",
    "\ufeff{}",
    '{"a":1,"a":2}',
    "NaN",
    "1e999",
  ),
  fc.constantFrom(
    '{"transaction_id":"\\u0000"}',
    '{"transaction_id":"\\ud800"}',
    '{"__proto__":{"x":1}}',
    "a=1&b=2",
    "[".repeat(9_000),
  ),
  fc.string(),
  fc.json(),
);

export const hostileWords: readonly string[] = hostile.flatMap((value) =>
  typeof value === "object" ? [] : [String(value)],
);
