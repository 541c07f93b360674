import type { ApiDocument, Operation } from "#routes/openapi/with-examples.ts";

type Refusal = Operation["responses"][string];
interface Reference {
  readonly $ref: string;
}
type Responses = Readonly<Record<string, Refusal | Reference>>;

export interface SharedDocument extends Omit<ApiDocument, "paths" | "components"> {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Omit<Operation, "responses"> & { readonly responses: Responses }>>>
  >;
  readonly components: ApiDocument["components"] & { readonly responses: Readonly<Record<string, Refusal>> };
}

/** Makes a component of each refusal that several operations have in common. */
export function withSharedRefusals(document: ApiDocument): SharedDocument {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const refusals = operations.flatMap(({ responses }) => Object.entries(responses).filter(isRefusal));
  const uses = Map.groupBy(refusals, ([, refusal]) => JSON.stringify(refusal));
  const shared = [...uses.values()].flatMap(([first, ...others]) =>
    first === undefined || others.length === 0 ? [] : [[nameOf(first[1]), first[1]] as const],
  );
  const references = new Map(
    shared.map(([name, refusal]) => [JSON.stringify(refusal), { $ref: `#/components/responses/${name}` }]),
  );
  const withReferences = (responses: Operation["responses"]): Responses =>
    Object.fromEntries(
      Object.entries(responses).map(([status, answer]) => [status, references.get(JSON.stringify(answer)) ?? answer]),
    );
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const referring = Object.entries(methods).map(([method, operation]) => [
      method,
      { ...operation, responses: withReferences(operation.responses) },
    ]);
    return [path, Object.fromEntries(referring)];
  });
  const components = { ...document.components, responses: Object.fromEntries(shared) };
  return { ...document, paths: Object.fromEntries(paths), components };
}

const isRefusal = ([status]: readonly [string, unknown]): boolean => !status.startsWith("2");

/** "Not a member, role too low" becomes `NotAMemberOrRoleTooLow`. */
const nameOf = ({ description }: Refusal): string =>
  description
    .split(", ")
    .map((reason) => reason.replaceAll(/(?:^|\W+)(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join("Or");
