import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/root.ts";

/** The settings of an image that its Dockerfile makes. */
export interface ImageConfig {
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly stopSignal: string;
}

/** The settings of the service in compose.yaml. */
export interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly tmpfs: readonly string[];
  readonly volumes: readonly string[];
  readonly isReadOnly: boolean;
  readonly droppedCapabilities: readonly string[];
  readonly securityOptions: readonly string[];
  readonly openFiles: string;
}

export interface Instruction {
  readonly name: string;
  readonly value: string;
}

export const dockerfile = (): string => readFileSync(join(root, "Dockerfile"), "utf8");

/** The instructions of the Dockerfile's last stage. */
export function lastStage(): readonly Instruction[] {
  const lines = dockerfile().replaceAll("\\\n", " ").split("\n");
  const all = lines.flatMap((line) => {
    const [, name = "", value = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, value }];
  });
  return all.slice(all.findLastIndex(({ name }) => name === "FROM"));
}

const listIn = (value: string): readonly string[] => JSON.parse(value) as string[];

const pairsIn = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));

export function imageOfDockerfile(): ImageConfig {
  const of = (name: string) => lastStage().find((each) => each.name === name)?.value ?? "";
  return {
    user: of("USER"),
    environment: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      ...pairsIn(of("ENV").split(" ")),
    },
    entrypoint: listIn(of("ENTRYPOINT")),
    command: listIn(of("CMD")),
    stopSignal: of("STOPSIGNAL"),
  };
}

/** The `config` of an image in the format of the Open Container Initiative. */
export interface OciConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly StopSignal: string;
}

export const imageOfOci = (config: OciConfig): ImageConfig => ({
  user: config.User,
  environment: pairsIn(config.Env),
  entrypoint: config.Entrypoint,
  command: config.Cmd,
  stopSignal: config.StopSignal,
});

export const healthCheck = (): readonly string[] =>
  listIn(/CMD (\[.*\])$/.exec(lastStage().find(({ name }) => name === "HEALTHCHECK")?.value ?? "")?.[1] ?? "[]");

/** The lines below `key`, which are indented more, without that indent. */
function below(lines: readonly string[], key: string): readonly string[] {
  const [first = "", ...rest] = lines.slice(lines.indexOf(`${key}:`) + 1);
  const indent = /^ */.exec(first)?.[0] ?? "";
  const end = rest.findIndex((line) => line.trim() !== "" && !line.startsWith(indent));
  const block = lines.includes(`${key}:`) && indent !== "" ? [first, ...(end < 0 ? rest : rest.slice(0, end))] : [];
  return block.map((line) => line.slice(indent.length)).filter((line) => line !== "" && !line.startsWith("#"));
}

/** Replaces `${NAME:-default}` and `${NAME:?message}`. */
const expand = (value: string, env: Readonly<Record<string, string>>): string =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, text = "") => {
    if (env[name]) return env[name];
    if (kind !== "-") throw new Error(text || `${name} is not set`);
    return text;
  });

/** Reads the part of YAML that compose.yaml uses. */
export function composeService(env: Readonly<Record<string, string>>): ComposeService {
  const lines = readFileSync(join(root, "compose.yaml"), "utf8").split("\n");
  const service = below(below(lines, "services"), "tributary");
  const list = (key: string) => below(service, key).map((line) => line.replace(/^- /, ""));
  const pairs = (key: string, from = service) =>
    below(from, key).map((line) => [
      line.slice(0, line.indexOf(": ")),
      expand(line.slice(line.indexOf(": ") + 2), env),
    ]);
  return {
    environment: Object.fromEntries(pairs("environment")),
    tmpfs: list("tmpfs"),
    volumes: list("volumes"),
    isReadOnly: service.includes("read_only: true"),
    droppedCapabilities: list("cap_drop"),
    securityOptions: list("security_opt"),
    openFiles: Object.fromEntries(pairs("ulimits")).nofile ?? "",
  };
}

export interface Container {
  /** The folder of the image's files. */
  readonly files: string;
  readonly image: ImageConfig;
  readonly compose: ComposeService;
  /** A folder of this machine for each folder in the container. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

// Each process has mounts of its own, which end with it. It shares the network and the processes of this machine.
const script = `
  files=$1 mounts=$2 tmpfs=$3 readOnly=$4 openFiles=$5
  shift 5
  mount --rbind "$files" "$files"
  mount --rbind /dev "$files/dev"
  mount -t proc proc "$files/proc"
  printf %s "$mounts" | while read -r to from; do mount --rbind "$from" "$files$to"; done
  for to in $tmpfs; do mount -t tmpfs tmpfs "$files$to"; done
  if [ "$readOnly" = true ]; then mount -o remount,bind,ro "$files"; fi
  # This machine may have a lower limit, also for root.
  ulimit -n "$openFiles" 2>/dev/null || ulimit -n "$(ulimit -Hn)"
  exec chroot "$files" "$@"
`;

/** The command that runs `args` as the engine would run them in a container of this service. */
function inContainer({ files, image, compose, mounts, environment }: Container, args: readonly string[]): string[] {
  const [uid = "", gid = uid] = image.user.split(":");
  const env = Object.entries({ ...image.environment, ...compose.environment, ...environment }).map((each) =>
    each.join("="),
  );
  const hasCapabilities = !compose.droppedCapabilities.includes("ALL");
  const identity = ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups"];
  if (!hasCapabilities) identity.push("--bounding-set=-all", "--inh-caps=-all");
  if (compose.securityOptions.includes("no-new-privileges:true")) identity.push("--no-new-privs");
  const lines = Object.entries(mounts).map(([to, from]) => `${to} ${from}\n`);
  const settings = [files, lines.join(""), compose.tmpfs.join(" "), String(compose.isReadOnly), compose.openFiles];
  return ["--mount", "sh", "-ec", script, "sh", ...settings, ...identity, "env", "-i", ...env, ...args];
}

/** Starts the container, as `docker compose up` does. */
export const startContainer = (container: Container): ChildProcess =>
  spawn("unshare", inContainer(container, [...container.image.entrypoint, ...container.image.command]), {
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Runs a command in the container, as `docker compose exec` does. */
export const execInContainer = (container: Container, args: readonly string[]) =>
  promisify(execFile)("unshare", inContainer(container, args));
