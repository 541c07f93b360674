import { attributionSources } from "#domain/attribution.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import { restoredDetails } from "#http/refusal/further-table.ts";
import { detailsOf } from "#http/refusal/table.ts";
import { sourceText } from "#http/schema/attribution-source.ts";
import type { Schema, Schemas } from "../docs/schema.ts";
import { refusalExamples } from "./refusal-examples.ts";

type Properties = Readonly<Record<string, Schema>>;

const differences: Schema = {
  type: "array",
  items: { type: "string" },
  description: "Names of the fields that differ from the first call. That one is kept.",
};

const errors: Schema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      path: {
        type: "array",
        items: { type: ["string", "integer"] },
        description: "Where in the body. Empty for the body itself.",
      },
      message: { type: "string" },
      name: { type: "string" },
    },
    required: ["path", "message", "name"],
  },
  description: "Every error of the body, in the order of its fields. The first one is the message.",
};

const nullable = (schema: Schema, description: string): Schema => ({
  ...schema,
  type: [String(schema.type), "null"],
  description,
});

const { lastPayout } = restoredDetails(refusalExamples.restored.restored);
const lastPayoutSchema = schemaOf(lastPayout);
const instant: Schema = { type: "string" };

const restored: Properties = {
  backupAt: nullable(instant, "When the backup was made, or its last change. Null if unknown."),
  lastPayout: nullable(
    {
      ...lastPayoutSchema,
      properties: {
        ...lastPayoutSchema.properties,
        paidAt: nullable(instant, "Null if the payout was not confirmed when the backup was made."),
      },
    },
    "The program's last final or paid payout in the backup. Null if it has none.",
  ),
};

/** Members that an example can't describe. The others are described by their refusal's example. */
const described: Partial<Record<RefusalCode, Properties>> = {
  invalid_input: { errors },
  program_id_required: { errors },
  refund_conflict: { differences },
  adjustment_conflict: { differences },
  payout_conflict: { differences },
  restored,
  declined: { partnerNote: nullable({ type: "string" }, "The program's note to the applicant. Null if it left none.") },
  terms_changed: { version: nullable({ type: "integer" }, "The newest. Null if the program has no terms.") },
  duplicate_transaction: {
    partner_code: { type: ["string", "null"], description: "Null if the sale isn't attributed." },
    source: { type: ["string", "null"], enum: [...attributionSources, null], description: sourceText },
    commission: { $ref: "#/components/schemas/Commission" },
    same_request: { type: "boolean", description: "True if nothing differs from the first call." },
    differences,
  },
};

function schemaOf(value: unknown): Schema {
  if (Array.isArray(value)) return { type: "array", items: value[0] === undefined ? {} : schemaOf(value[0]) };
  if (typeof value !== "object" || value === null) return { type: Number.isInteger(value) ? "integer" : typeof value };
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const properties = Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)]));
  return { type: "object", properties, required: Object.keys(properties) };
}

const isCode = (name: string): boolean => name === "code" || name === "reason";

function propertiesOf(code: RefusalCode): Properties {
  const { properties = {} } = schemaOf(detailsOf(refusalExamples[code]));
  const values = detailsOf(refusalExamples[code]);
  const words = Object.keys(properties).filter((name) => isCode(name) && typeof values[name] === "string");
  const closed = Object.fromEntries(words.map((name) => [name, { type: "string", enum: [values[name]] }]));
  return { ...properties, ...closed, ...described[code] };
}

function merged(schemas: readonly Schema[]): Schema {
  const [first = {}, ...others] = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  if (others.length === 0) return first;
  const all = [first, ...others];
  const words = all.flatMap((schema) => schema.enum ?? []);
  return all.every((schema) => schema.enum) ? { ...first, enum: words } : { anyOf: all };
}

/** The schema of `error.details` for a response with any of these codes. Undefined if they have no details. */
export function detailsSchema(codes: readonly RefusalCode[]): Schema | undefined {
  const each = [...new Set(codes)].map(propertiesOf);
  const names = [...new Set(each.flatMap(Object.keys))];
  if (names.length === 0) return undefined;
  const properties = Object.fromEntries(
    names.map((name) => [name, merged(each.flatMap(({ [name]: schema }) => (schema ? [schema] : [])))]),
  );
  const required = names.filter((name) => each.every((one) => name in one));
  return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: {} };
}

const failureRef = "#/components/schemas/Failure";

const pascal = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A copy of the schema `Failure` for each set of codes that has details, by name. */
export class FailureSchemas {
  readonly #failure: Schema | undefined;
  readonly #made = new Map<string, Schema>();

  constructor(schemas: Schemas) {
    this.#failure = schemas.Failure;
  }

  get made(): Schemas {
    return Object.fromEntries(this.#made);
  }

  /** The response's schema, with the details of its codes. */
  specific(schema: Schema, codes: readonly RefusalCode[]): Schema {
    if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((either) => this.specific(either, codes)) };
    const details = schema.$ref === failureRef ? detailsSchema(codes) : undefined;
    const error = this.#failure?.properties?.error;
    if (!details || !error) return schema;
    const detailed = [...new Set(codes)].filter((code) => Object.keys(propertiesOf(code)).length > 0);
    const names = detailed.map(pascal);
    const name = `${[...names, ...(codes.some((code) => !detailed.includes(code)) ? ["Other"] : [])].join("Or")}Failure`;
    const detailedError = { ...error, properties: { ...error.properties, details } };
    this.#made.set(name, {
      ...this.#failure,
      properties: { ...this.#failure?.properties, error: detailedError },
    });
    return { $ref: `#/components/schemas/${name}` };
  }
}
