import { join } from "node:path";
import { UsageError } from "../../sdk/cli/flags.ts";
import { commandEnvironment } from "../command.ts";
import { buildApart } from "./build-apart.ts";
import { runApart } from "./child.ts";
import { keepRunning } from "./keep-running.ts";
import { describeShards } from "./local-databases.ts";
import { LocalService } from "./local-service.ts";
import { jsonLog } from "./logs.ts";
import { authority, portInstead } from "./ports.ts";
import { runService } from "./run-service.ts";
import { refuseOwnFolder } from "./secrets-file.ts";
import { serveHelp } from "./serve-help.ts";
import { serveSecrets } from "./serve-secrets.ts";
import { isLoopback, readSettings, type ServeSettings } from "./serve-settings.ts";

// npm run serve: runs the service on your own server. docs/self-hosting.md describes flags, log and exit codes.

const graceMs = 20_000;
const usageExitCode = 2;

const log = jsonLog((line) => void process.stdout.write(`${line}\n`));
// Continues to serve when no process reads the log any more.
process.stdout.on("error", () => {});

if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) {
  console.log(serveHelp());
  process.exit(0);
}
const settings = settingsOrEnd();
const { data, host, port, baseUrl, monitoring } = settings;
const service = new LocalService({
  data,
  host,
  port,
  baseUrl,
  portAdvice: `--port ${portInstead(port, monitoring.metricsPort)}`,
  monitoring,
});

await runService(service, {
  npmScript: "serve",
  graceMs,
  run: () => run(settings),
  onStopping: () => log.say("info", `Stopping. Calls under way have ${graceMs / 1_000} s to end.`),
  onStopped: () => log.say("info", "Stopped."),
});

function settingsOrEnd(): ServeSettings {
  try {
    return readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(usageExitCode);
  }
}

interface Mailer {
  readonly hook: string;
  /** The mail hook's secret. If it is undefined, the secrets file may contain it. */
  readonly secret: string | undefined;
}

async function mailerOf({
  smtp,
  mailHook,
  mailHookSecret,
}: Pick<ServeSettings, "smtp" | "mailHook" | "mailHookSecret">): Promise<Mailer> {
  if (smtp === undefined) {
    log.say(
      "info",
      mailHook === ""
        ? "No emails are sent: neither SMTP_URL nor MAIL_HOOK is set."
        : "Emails are posted to MAIL_HOOK.",
    );
    return { hook: mailHook, secret: mailHookSecret };
  }
  // Imported only when it is needed, to save memory.
  const [{ smtpSender }, { startSmtpMailer }] = await Promise.all([import("./smtp.ts"), import("./smtp-mailer.ts")]);
  log.say("info", `Emails are sent by SMTP, by ${authority(smtp.host, smtp.port)}, from ${smtp.from.text}.`);
  return startSmtpMailer({ send: smtpSender(smtp), warn: log.from("mail") });
}

async function run({ secretsFile, signUp, trustedProxies, isInsecureHttp, ...settings }: ServeSettings): Promise<void> {
  if (secretsFile === undefined) await refuseOwnFolder(data);
  const folder = await service.open();
  const secrets = await serveSecrets(data, { named: secretsFile, given: settings.secrets });
  if (isInsecureHttp) {
    log.say(
      "warn",
      "Plain http is served to every machine that reaches this one: keys and passwords can be read on the way.",
    );
  } else if (isLoopback(host) && trustedProxies === "") {
    log.say("warn", "Without --trusted-proxy, only calls from this machine are served.");
  }
  const { shards: count } = settings;
  const local = await service.openDatabases(folder, count);
  if (local.databases.length > 1) log.say("info", `${describeShards(local, count)}.`);
  const build = await buildApart({ directory: folder.dist, log: log.from("build") });
  const mail = await mailerOf(settings);
  const vars = {
    SIGN_UP: signUp,
    TRUSTED_PROXIES: trustedProxies,
    CLIENT_ADDRESS_HEADER: settings.clientAddressHeader,
    BASE_URL: settings.knownBaseUrl,
    INSECURE_HTTP: isInsecureHttp ? "on" : "off",
    MAIL_HOOK: mail.hook,
    WEBHOOK_ALLOW: settings.webhookAllow,
    ...settings.oidc,
    ...(settings.clickRetentionDays !== undefined && { CLICK_RETENTION_DAYS: settings.clickRetentionDays }),
  };
  await service.prepare(folder, local, {
    build,
    vars,
    secrets: {
      ...secrets,
      ...(mail.secret && { MAIL_HOOK_SECRET: mail.secret }),
      ...(settings.oidcClientSecret && { OIDC_CLIENT_SECRET: settings.oidcClientSecret }),
    },
    log: log.from("service"),
    say: log.say,
  });
  let worker = await service.start(folder);
  await Promise.race([service.untilReady("the log"), service.failOnEnd(worker.ended)]);
  if (service.isStopping) return;
  log.say("info", `Ready at ${baseUrl}, listening on ${authority(host, port)}.`);
  // The link is written to a file, not to the log, which many people may read: the first person who opens the link
  // becomes the owner.
  const first = ["invite-owner", "--first", join(data, "first-owner.txt"), "--data", data];
  await runApart("scripts/tributary.ts", first, commandEnvironment, (line) => log.say("info", line));

  await keepRunning({
    isStopping: () => service.isStopping,
    say: log.say,
    name: "The service",
    ended: () => worker.ended,
    start: async () => {
      worker = await service.start(folder);
    },
  });
}
