import type { Json } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";

export type Role = "viewer" | "admin" | "owner";
export type PartnerRole = "view" | "manage";

interface Operation {
  readonly security: readonly object[];
  readonly "x-minimum-role"?: Role | PartnerRole;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface Scope {
  readonly programId: number;
  readonly workspaceId: string;
  readonly partnerId?: number;
}

export interface SessionOperation<R = Role> {
  readonly name: string;
  readonly isWrite: boolean;
  /** The lowest role that may call the operation. Undefined: any signed-in user. */
  readonly role: R | undefined;
  readonly about: "program" | "workspace" | undefined;
  readonly isScopedByPath: boolean;
  call(user: Pick<User, "get" | "post" | "patch" | "put" | "delete">, scope: Scope, options?: Options): Reply;
}
interface Options {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json;
}
type Reply = ReturnType<User["get"]>;

export const sessionOperations = (url: string): Promise<readonly SessionOperation[]> =>
  operationsOf(`${url}/api/openapi.json`);

/** Returns the operations in the partners' OpenAPI document. */
export const partnerOperations = (url: string): Promise<readonly SessionOperation<PartnerRole>[]> =>
  operationsOf(`${url}/api/partner/openapi.json`);

async function operationsOf<R>(url: string): Promise<readonly SessionOperation<R>[]> {
  const document = await (await fetch(url)).json();
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const fieldsOf = ({ requestBody }: Operation): string[] => {
    const schema = requestBody?.content["application/json"]?.schema;
    const named = components.schemas[schema?.$ref?.split("/").at(-1) ?? ""];
    return Object.keys((named ?? schema)?.properties ?? {});
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.length === 1)
      .map(([method, operation]) => toOperation(method, path, operation, fieldsOf(operation))),
  );
}

function toOperation<R>(
  method: string,
  path: string,
  operation: Operation,
  fields: readonly string[],
): SessionOperation<R> {
  const queried = (operation.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
  const named = [path, ...queried.map((name) => `{${name}}`), ...fields.map((name) => `{${name}}`)].join();
  const about = /\{(programId|program_id)\}/.test(named)
    ? "program"
    : named.includes("{workspaceId}")
      ? "workspace"
      : undefined;
  // An estimate is a POST that stores nothing.
  const isEstimate = path.endsWith("/estimate");
  const isWrite = method !== "get" && !isEstimate;
  return {
    name: `${method.toUpperCase()} ${path}`,
    isWrite,
    role: operation["x-minimum-role"] as R | undefined,
    about,
    isScopedByPath: /\{(programId|workspaceId)\}/.test(path),
    call: (user, scope, { key, headers, body } = {}) => {
      const filled = path
        .replace("{programId}", String(scope.programId))
        .replace("{workspaceId}", scope.workspaceId)
        .replace("{partnerId}", String(scope.partnerId ?? 1))
        .replaceAll(/\{\w+\}/g, "1");
      const query = queried.includes("workspaceId") ? `?workspaceId=${scope.workspaceId}` : "";
      const ids: Json = {
        ...(fields.includes("program_id") ? { program_id: scope.programId } : {}),
        ...(fields.includes("workspaceId") ? { workspaceId: scope.workspaceId } : {}),
        ...(isEstimate ? { amountCents: 4_900, currency: "EUR" } : {}),
      };
      const options = { headers, ...(key === undefined ? {} : { key }) };
      const send = user[method as "get" | "post"];
      return method !== "get" && method !== "delete"
        ? send(filled + query, body ?? ids, options)
        : user[method as "get"](filled + query, options);
    },
  };
}
