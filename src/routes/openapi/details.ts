import { attributionSources } from "#domain/attribution.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import { errorNames } from "#http/refusal/envelope.ts";
import { restoredDetails } from "#http/refusal/payout-table.ts";
import { detailsOf, entryOf, type RefusalStatus } from "#http/refusal/table.ts";
import { sourceText } from "#http/schema/attribution-source.ts";
import { small, wide } from "#http/schema/integers.ts";
import type { Schema, Schemas } from "../docs/schema.ts";
import { refusalExamples } from "./refusal-examples.ts";

type Properties = Readonly<Record<string, Schema>>;

const differences: Schema = {
  type: "array",
  items: { type: "string" },
  description: "Names of the fields that differ from the first call. The values of the first call are kept.",
};

const errors: Schema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      path: {
        type: "array",
        items: { type: ["string", "integer"], ...small },
        description: "Path in the body. Empty for the body itself.",
      },
      message: { type: "string" },
      name: { type: "string" },
    },
    required: ["path", "message", "name"],
  },
  description: "All errors in the body, in the order of its fields. `error.message` is the first one.",
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
  backupAt: nullable(
    instant,
    "When the backup was made or, if that isn't known, when its newest data was written. Null if neither is known.",
  ),
  lastPayout: nullable(
    {
      ...lastPayoutSchema,
      properties: {
        ...lastPayoutSchema.properties,
        paidAt: nullable(
          instant,
          "Time of the payment. Null if the payout was not confirmed when the backup was made.",
        ),
      },
    },
    "The program's last final or paid payout in the backup. Null if it has none.",
  ),
};

const ownedAlone: Schema = {
  ...schemaOf([{ workspaceId: "", workspaceName: "", programs: [{ programId: 1, programName: "" }] }]),
  description: "If an account can't be deleted: the workspaces of which it is the last active owner.",
};

/** Properties that only some refusals with the code have. */
const optional: Partial<Record<RefusalCode, readonly string[]>> = {
  last_owner: ["code", "workspaces"],
  person_not_found: ["receiptId"],
};

/** Properties for which the example of their refusal isn't enough to describe the schema. */
const described: Partial<Record<RefusalCode, Properties>> = {
  invalid_input: { errors },
  program_id_required: { errors },
  refund_conflict: { differences },
  adjustment_conflict: { differences },
  payout_conflict: { differences },
  restored,
  last_owner: { code: { type: "string", enum: ["last_owner"] }, workspaces: ownedAlone },
  declined: { partnerNote: nullable({ type: "string" }, "The program's note to the applicant. Null if it left none.") },
  terms_changed: {
    version: nullable({ type: "integer", ...small }, "The newest version. Null if the program has no terms."),
  },
  duplicate_transaction: {
    is_recurring: {
      type: "boolean",
      description: "True for a renewal: the first call's value or, for `auto`, the service's decision.",
    },
    partner_code: { type: ["string", "null"], description: "Code of the partner. Null if the sale isn't attributed." },
    source: { type: ["string", "null"], enum: [...attributionSources, null], description: sourceText },
    commission: { $ref: "#/components/schemas/Commission" },
    same_request: { type: "boolean", description: "True if nothing differs from the first call." },
    differences,
  },
};

function schemaOf(value: unknown): Schema {
  if (Array.isArray(value)) return { type: "array", items: value[0] === undefined ? {} : schemaOf(value[0]) };
  if (typeof value !== "object" || value === null)
    return Number.isInteger(value) ? { type: "integer", ...wide } : { type: typeof value };
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const properties = Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)]));
  return { type: "object", properties, required: Object.keys(properties) };
}

const hasDetails = (code: RefusalCode): boolean => Object.keys(propertiesOf(code)).length > 0;

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

/** The schema of `error.details` in a response with any of these codes. Undefined if they have no details. */
function detailsSchema(codes: readonly RefusalCode[]): Schema | undefined {
  const distinct = [...new Set(codes)];
  const each = distinct.map(propertiesOf);
  const names = [...new Set(each.flatMap(Object.keys))];
  if (names.length === 0) return undefined;
  const properties = Object.fromEntries(
    names.map((name) => [name, merged(each.flatMap(({ [name]: schema }) => (schema ? [schema] : [])))]),
  );
  const isRequired = (name: string) =>
    distinct.every((code, i) => name in (each[i] ?? {}) && !optional[code]?.includes(name));
  const required = names.filter(isRequired);
  return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: {} };
}

const pascal = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The schemas in `envelope.ts`. Each response uses a copy of one, with the details of its codes. */
const bases = ["Failure", "TypedFailure"] as const;
type Base = (typeof bases)[number];

const baseOf = ({ $ref }: Schema): Base | undefined => bases.find((name) => $ref === `#/components/schemas/${name}`);

function nameOf(base: Base, codes: readonly RefusalCode[], status: RefusalStatus): string {
  const detailed = base === "Failure" ? [...new Set(codes)].filter(hasDetails) : [];
  if (detailed.length === 0) return `${errorNames[status].replace(/Error$/, "")}${base}`;
  return `${[...detailed.map(pascal), ...(codes.every(hasDetails) ? [] : ["Other"])].join("Or")}${base}`;
}

/** Creates a copy of the failure schemas for each set of codes. A client distinguishes responses by `status`. */
export class FailureSchemas {
  readonly #schemas: Schemas;
  readonly #made = new Map<string, Schema>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** All schemas with the copies, but without the two originals. */
  get all(): Schemas {
    const others = Object.entries(this.#schemas).filter(([name]) => !bases.some((base) => base === name));
    return Object.fromEntries([...others, ...this.#made]);
  }

  /** Returns the schema of a response. All its codes have the same status. */
  specific(schema: Schema, codes: readonly RefusalCode[]): Schema {
    if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((either) => this.specific(either, codes)) };
    const [base, first] = [baseOf(schema), codes[0]];
    const failure = base && this.#schemas[base];
    const error = failure?.properties?.error;
    if (base === undefined || error === undefined || first === undefined) return schema;
    const { status } = entryOf(first);
    const details = base === "Failure" ? detailsSchema(codes) : undefined;
    const own = {
      status: { type: "integer", enum: [status] },
      ...(base === "Failure" && { name: { type: "string", enum: [errorNames[status]] } }),
      ...(details && { details }),
    };
    const name = nameOf(base, codes, status);
    const specificError = { ...error, properties: { ...error.properties, ...own } };
    this.#made.set(name, { ...failure, properties: { ...failure?.properties, error: specificError } });
    return { $ref: `#/components/schemas/${name}` };
  }
}
