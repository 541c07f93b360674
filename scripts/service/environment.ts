import { UsageError } from "../../sdk/cli/flags.ts";
import { settings } from "./settings.ts";
import { readSmallFile } from "./small-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the values of the known names. Each value comes from its variable, or from the file that `<name>_FILE` names.
 * Throws a `UsageError`.
 */
export function valuesIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settings.flatMap(({ name }) => {
      const value = readValue(env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Reads a variable. An empty variable counts as unset, because compose files set empty ones. */
function readValue(env: Environment, name: string): string | undefined {
  const { [name]: text, [`${name}_FILE`]: file } = env;
  if (!file) return text || undefined;
  if (text) throw new UsageError(`${name} and ${name}_FILE are both set: set only one of them.`);
  const value = contentOf(file, name).replace(/(?:\r?\n)+$/, "");
  if (value === "") throw new UsageError(`${name}_FILE is ${file}, which is empty.`);
  return value;
}

function contentOf(file: string, name: string): string {
  try {
    return readSmallFile(file);
  } catch (error) {
    throw new UsageError(`${name}_FILE is ${file}, which can't be read: ${reasonOf(error)}.`);
  }
}

const reasonOf = (error: unknown): unknown =>
  error instanceof Error ? ("code" in error ? error.code : error.message) : error;

const known = new Set(settings.flatMap(({ name }) => [name, `${name}_FILE`]));

/** Variables of the SDK and of the examples. */
const clientNames = [
  "TRIBUTARY_URL",
  "TRIBUTARY_API_KEY",
  "TRIBUTARY_PROGRAM_ID",
  "TRIBUTARY_WEBHOOK_SECRET",
  "TRIBUTARY_WEBHOOK_SECRETS",
];
const ownPrefix = /^(?:TRIBUTARY|SMTP|MAIL|OIDC)_/;
/** Variables that Kubernetes adds for a service such as `mail`, in addition to `<NAME>_PORT` with a URL. */
const ofKubernetes = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP)(?:_\w+)?)$/;
const isOfKubernetes = (name: string, value: string): boolean =>
  ofKubernetes.test(name) || (name.endsWith("_PORT") && /^(?:tcp|udp):/.test(value));

/** Throws a `UsageError` for an unknown variable that was probably meant for this service. */
export function refuseUnknown(env: Environment): void {
  const isOwn = (name: string) => ownPrefix.test(name) && !known.has(name) && !clientNames.includes(name);
  const [unknown] = Object.entries(env).find(([name, value = ""]) => isOwn(name) && !isOfKubernetes(name, value)) ?? [];
  if (unknown !== undefined) {
    throw new UsageError(`${unknown} is set, which the service doesn't know. serve --help lists all names.`);
  }
}
