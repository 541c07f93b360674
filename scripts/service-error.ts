import { ReleaseError } from "../sdk/releases.ts";
import { BackupError } from "./backup/error.ts";
import { MigrationError } from "./migrate.ts";
import { MonitoringError } from "./monitoring.ts";
import { SecretsError } from "./secrets-file.ts";
import { SqldError } from "./sqld.ts";

export class ServiceError extends Error {
  override readonly name = "ServiceError";
}

/** The message only, if the cause is known, such as a full disk. Otherwise the error with its stack. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isKnown = [
    ServiceError,
    BackupError,
    MigrationError,
    MonitoringError,
    ReleaseError,
    SecretsError,
    SqldError,
  ].some((kind) => error instanceof kind);
  return isKnown || "syscall" in error ? error.message : error;
}
