import { serveCommand } from "../command.ts";
import { type Setting, settings } from "./settings.ts";

const all: readonly Setting[] = settings;
const flagOf = ({ flag, value }: Setting): string => `--${flag} ${value}`.trim();

/** Returns the rows as lines, aligned in columns. */
function lines(rows: readonly (readonly [string, ...string[]])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}

const named = (isListed: (setting: Setting) => boolean): string =>
  lines(all.filter(isListed).map((each) => [each.name, each.help]));

export const serveHelp = (): string => `${serveCommand} [flags]

Runs the service until it is stopped. Each flag has a name in the environment, which the flag overrides:

${lines(all.filter(({ flag }) => flag !== undefined).map((each) => [flagOf(each), each.name, each.help]))}

Only in the environment:

${named(({ flag, isSecret }) => flag === undefined && !isSecret)}

Secrets. CLICK_KEYS, HASH_SECRET, AUTH_SECRET and DATA_KEYS are created at the first start, in the data folder:

${named(({ isSecret }) => isSecret === true)}

NAME_FILE=<path> reads NAME from a file. An empty variable is the same as none. Node reads NODE_EXTRA_CA_CERTS, SSL_CERT_FILE
and SSL_CERT_DIR. The service's page /docs/guides/self-hosting/ describes everything.`;
