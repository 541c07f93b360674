import { ExplainedError } from "../command.ts";
import type { SecretsRequest } from "./deployment-secrets.ts";

type Environment = SecretsRequest["environment"];

/** The URL to which emails are posted. If it is empty, no emails are created. */
export function mailHookOf({ MAIL_HOOK: hook = "" }: Environment): string {
  if (hook !== "" && !hook.startsWith("https://"))
    throw new ExplainedError(`MAIL_HOOK is ${hook}: it is an https URL.`);
  return hook;
}

/**
 * The secret that signs emails. Returns none if no emails are sent, or if Cloudflare keeps the secret that it has. The
 * secret is never generated, because the mailer must have it too.
 */
export function mailHookSecret({
  environment,
  file: { values, path },
  existing,
}: Pick<SecretsRequest, "environment" | "file" | "existing">): Readonly<Record<string, string>> {
  const secret = environment.MAIL_HOOK_SECRET || values.MAIL_HOOK_SECRET;
  if (secret) return { MAIL_HOOK_SECRET: secret };
  if (mailHookOf(environment) === "" || existing.has("MAIL_HOOK_SECRET")) return {};
  throw new ExplainedError(`MAIL_HOOK needs MAIL_HOOK_SECRET, which is neither in the environment nor in ${path}.`);
}
