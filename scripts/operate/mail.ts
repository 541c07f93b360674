import { randomUUID } from "node:crypto";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { valuesIn } from "../service/environment.ts";
import { smtpSender } from "../service/smtp.ts";
import { smtpSettingsOf } from "../service/smtp-settings.ts";

export const help = `${operatorCommand} mail test <address>

Sends one email to the address, by the server in SMTP_URL, from MAIL_FROM, and prints what that server answered. Both are
read from the environment, as the service does.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { positionals } = parseFlags(args, {}, 2);
  const [verb, to] = positionals;
  if (verb !== "test" || to === undefined || !/^[^\s@<>,]+@[^\s@<>,]+$/.test(to)) {
    throw new UsageError("Name an address: mail test <address>");
  }
  const settings = smtpSettingsOf(valuesIn(process.env));
  if (settings === undefined) {
    throw new ExplainedError("SMTP_URL is not set: the service sends no email by SMTP.");
  }
  const text = "This email was sent by the command: tributary mail test\n";
  const html = "<p>This email was sent by the command: <code>tributary mail test</code></p>";
  const mail = { id: randomUUID(), to, subject: "Tributary can send email", text, html };
  const { isSent, reason } = await smtpSender(settings)(mail);
  if (!isSent) throw new ExplainedError(`${settings.host}:${settings.port} didn't take the email: ${reason}.`);
  console.log(`${settings.host}:${settings.port} took the email to ${to}.`);
  return exit.good;
}
