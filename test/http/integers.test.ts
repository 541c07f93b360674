import { expect, test } from "vitest";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";
import { document } from "./document.ts";

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** The document's integer schemas, with their paths. */
function integersIn(value: unknown, place = ""): readonly (readonly [string, Node])[] {
  if (!isNode(value)) return [];
  const isInteger = [value.type].flat().includes("integer") && !("enum" in value);
  const inside = Object.entries(value)
    .filter(([name]) => !["example", "examples"].includes(name))
    .flatMap(([name, member]) => integersIn(member, `${place}/${name}`));
  return isInteger ? [[place, value], ...inside] : inside;
}

const is32Bits = ({ maximum }: Node) => Number(maximum) < 2 ** 31;
const is64Bits = ({ format, maximum }: Node) => format === "int64" && Number(maximum) < 2 ** 53;

const documents = { public: document, session: sessionDocument(), partner: partnerDocument() };

test.each(Object.entries(documents))(
  "every integer in the %s document fits its type in generated clients",
  {
    tags: ["finding"],
  },
  (_, described) => {
    const integers = integersIn(described);
    expect(integers.length).toBeGreaterThan(50);
    expect(integers.filter(([, schema]) => !is32Bits(schema) && !is64Bits(schema))).toEqual([]);
  },
);

test.each(Object.entries(documents))(
  "every id in the %s document has the format int64",
  {
    tags: ["finding"],
  },
  (_, described) => {
    const ids = integersIn(described).filter(([place]) => /(\/|_)id(\/anyOf\/0)?$|Id(\/anyOf\/0)?$/.test(place));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter(([, schema]) => schema.maximum !== Number.MAX_SAFE_INTEGER)).toEqual([]);
  },
);

test("the OpenAPI document contains an example of an id that needs more than 32 bits", { tags: ["finding"] }, () => {
  const { examples } = document.paths["/api/v1/track/sale"].post.responses[200].content["application/json"];
  expect(examples.attributed.value.sale_id).toBeGreaterThan(2 ** 32);
});
