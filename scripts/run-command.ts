import { type ExitCode, exit } from "../sdk/cli/exit.ts";
import { UsageError } from "../sdk/cli/flags.ts";
import { nearest } from "../sdk/cli/nearest.ts";
import { explain, operatorCommand, UnreachableError } from "./command.ts";

interface Verb {
  readonly help: string;
  run(args: string[]): Promise<ExitCode>;
}

const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  backup: () => import("./operate/backup.ts"),
  restore: () => import("./operate/restore.ts"),
  erasures: () => import("./operate/erasures.ts"),
  compact: () => import("./operate/compact.ts"),
  "after-restore": () => import("./operate/after-restore.ts"),
  audit: () => import("./operate/audit.ts"),
  migrate: () => import("./operate/migrate.ts"),
  spill: () => import("./operate/spill.ts"),
  shards: () => import("./operate/shards.ts"),
  mail: () => import("./operate/mail.ts"),
  "invite-owner": () => import("./operate/invite-owner.ts"),
  "reset-password": () => import("./operate/reset-password.ts"),
  "rotate-data-keys": () => import("./operate/rotate-data-keys.ts"),
};

const help = `${operatorCommand} <command> [flags]

  backup            copy the data of a service on this machine into one file, also while it runs
  restore           restore such a file into an empty data folder; --verify only checks it
  erasures          write what was erased into a file, as digests, for the restore of an older backup
  compact           rewrite the files of a stopped service, so that nothing erased is left in them
  after-restore     prepare a database that was restored from a backup, and audit its books
  audit             check the books; only reads
  migrate           apply the pending migrations
  spill             show the clicks that wait for the database; --retry and --discard those that were set aside
  shards            list, add, open, close, remove and check the shards of a service
  mail              test <address>: send an email by SMTP_URL, and print what its server answered
  invite-owner      print a link by which an owner signs up
  reset-password    print a link by which a user sets a new password; --second-factor turns off theirs
  rotate-data-keys  encrypt with the newest key of DATA_KEYS what an older one encrypted

Each command has --help. All but mail take --data <folder>: the data folder of a service on this machine. Without it, backup,
restore and compact take the folder TRIBUTARY_DATA (default: .data). The others take the database at DATABASE_URL, with
DATABASE_AUTH_TOKEN, and those of SHARDS, of the service at BASE_URL; without DATABASE_URL, the service that runs on that folder.

Exit codes: 0 success; 1 it could not be done, or the books are wrong; 2 wrong usage, nothing was done; 3 the service or
its database was unreachable.`;

/** Runs an operator's command, and returns what it prints. `npm run tributary` runs it in a separate process. */
export async function runCommand([name = "", ...args]: readonly string[]): Promise<ExitCode> {
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  try {
    const verb = await load?.();
    if ([name, ...args].some((arg) => arg === "--help" || arg === "-h")) {
      console.log(verb?.help ?? help);
      return exit.good;
    }
    if (verb) return await verb.run(args);
    throw new UsageError(name ? `Unknown command "${name}".${suggestion(name)}` : "No command given.");
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\nSee: ${operatorCommand} ${load ? `${name} ` : ""}--help`);
      return exit.usage;
    }
    const known = unanswered(error) ?? error;
    console.error(explain(known));
    return known instanceof UnreachableError ? exit.unreachable : exit.refused;
  }
}

function suggestion(name: string): string {
  const meant = nearest(name, Object.keys(verbs));
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** Returns the error of a failed database request among the causes of an error, at any depth. */
function unanswered(error: unknown): UnreachableError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, cause } = error;
  if (message !== "fetch failed") return unanswered(cause);
  return new UnreachableError(`The database can't be reached: ${cause instanceof Error ? cause.message : message}.`);
}
