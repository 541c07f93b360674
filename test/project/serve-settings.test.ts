import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { shown } from "../../scripts/service/data-folder.ts";
import { valuesIn } from "../../scripts/service/environment.ts";
import { serveHelp } from "../../scripts/service/serve-help.ts";
import { serveSecrets } from "../../scripts/service/serve-secrets.ts";
import { readSettings } from "../../scripts/service/serve-settings.ts";
import { type Setting, settings } from "../../scripts/service/settings.ts";
import { readDocument } from "../support/documents.ts";

const data = ["--data", "/var/lib/tributary"];

const oidc = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "tributary", OIDC_CLIENT_SECRET: "s" };

test("the service is by default reachable only from this machine, and sign-up requires an invitation", () => {
  expect(readSettings(data, {})).toEqual({
    data: "/var/lib/tributary",
    host: "127.0.0.1",
    port: 8787,
    baseUrl: "http://127.0.0.1:8787",
    knownBaseUrl: "",
    trustedProxies: "",
    clientAddressHeader: "",
    isInsecureHttp: false,
    secretsFile: undefined,
    signUp: "invited",
    clickRetentionDays: undefined,
    shards: 1,
    monitoring: { metricsPort: 9464 },
    mailHook: "",
    mailHookSecret: undefined,
    smtp: undefined,
    webhookAllow: "",
    oidc: {},
    oidcClientSecret: undefined,
    secrets: {},
  });
});

test.each([
  [["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"], {}, { trustedProxies: "10.0.0.0/8,::1" }],
  [["--host", "::", "--trusted-proxy", "::1"], {}, { host: "::", baseUrl: "http://[::]:8787" }],
  [["--host", "0.0.0.0", "--insecure-http"], {}, { host: "0.0.0.0", isInsecureHttp: true }],
  [
    ["--base-url", "https://tributary.example/"],
    {},
    { baseUrl: "https://tributary.example", knownBaseUrl: "https://tributary.example" },
  ],
  [
    ["--trusted-proxy", "::1", "--client-address-header", "CF-Connecting-IP"],
    {},
    { trustedProxies: "::1", clientAddressHeader: "CF-Connecting-IP" },
  ],
  [["--shards", "3"], {}, { shards: 3 }],
  [[], { SIGN_UP: "open" }, { signUp: "open" }],
  [[], { CLICK_RETENTION_DAYS: "395" }, { clickRetentionDays: "395" }],
  [[], { METRICS_PORT: "9000" }, { monitoring: { metricsPort: 9000 } }],
  [
    [],
    { HOST: "0.0.0.0", PORT: "80", TRUSTED_PROXIES: "10.0.0.0/8, ::1", CLIENT_ADDRESS_HEADER: "X-Real-IP" },
    { host: "0.0.0.0", port: 80, trustedProxies: "10.0.0.0/8,::1", clientAddressHeader: "X-Real-IP" },
  ],
  [
    ["--port", "81", "--trusted-proxy", "::1"],
    { PORT: "80", TRUSTED_PROXIES: "::2" },
    { port: 81, trustedProxies: "::1" },
  ],
  [
    [],
    { BASE_URL: "https://tributary.example", TRIBUTARY_SHARDS: "2" },
    { knownBaseUrl: "https://tributary.example", shards: 2 },
  ],
  [[], { HOST: "::", INSECURE_HTTP: "on", SECRETS_FILE: "/a" }, { isInsecureHttp: true, secretsFile: "/a" }],
  [["--insecure-http"], { INSECURE_HTTP: "off" }, { isInsecureHttp: true }],
  [
    [],
    { PORT: "", HOST: "", SIGN_UP: "", HASH_SECRET: "a" },
    { port: 8787, signUp: "invited", secrets: { HASH_SECRET: "a" } },
  ],
  [
    ["--base-url", "https://tributary.example"],
    { ...oidc, OIDC_EXCEPT: "Ada@shop.example, ben@shop.example" },
    {
      oidc: expect.objectContaining({
        OIDC_ISSUER: "https://id.example",
        OIDC_EXCEPT: "Ada@shop.example, ben@shop.example",
      }),
      oidcClientSecret: "s",
    },
  ],
  [
    ["--base-url", "http://127.0.0.1:8787"],
    { ...oidc, OIDC_ISSUER: "http://127.0.0.1:9000" },
    { oidc: expect.objectContaining({ OIDC_ISSUER: "http://127.0.0.1:9000" }) },
  ],
  [[], { TRIBUTARY_URL: "http://127.0.0.1:8787", TRIBUTARY_PORT_8787_TCP: "tcp://10.0.0.1:8787" }, { port: 8787 }],
])("the service accepts %j with %j", (args, env, settings) => {
  expect(readSettings([...data, ...args], env)).toMatchObject(settings);
});

test.each([
  [["--prot", "1"], {}, "Unknown option '--prot'"],
  [["serve"], {}, "Unexpected argument 'serve'"],
  [["--port"], {}, "argument missing"],
  [["--port", "0"], {}, "--port 0 is no port"],
  [["--port", "65536"], {}, "--port 65536 is no port"],
  [["--port", "80a"], {}, "--port 80a is no port"],
  [["--port", ""], {}, "is no port"],
  [["--host", "tributary.example"], {}, "is no IP address"],
  [["--host", "0.0.0.0"], {}, "--trusted-proxy"],
  [["--host", "192.0.2.1"], {}, "--insecure-http"],
  [["--trusted-proxy", "10.0.0.0/33"], {}, "--trusted-proxy 10.0.0.0/33 is no address or range"],
  [["--trusted-proxy", ""], {}, "is no address or range"],
  [["--base-url", "tributary.example"], {}, "--base-url tributary.example is no address"],
  [["--base-url", "https://tributary.example/app"], {}, "is no address"],
  [["--client-address-header", "X-Real-IP"], {}, "name them (--trusted-proxy <address>)"],
  [["--trusted-proxy", "::1", "--client-address-header", "X Y"], {}, "X Y is no name of a header"],
  [["--shards", "0"], {}, "--shards 0 is no number of shards"],
  [["--shards", "1001"], {}, "--shards 1001 is no number of shards"],
  [["--data", ""], {}, "--data <folder>"],
  [[], { SIGN_UP: "anyone" }, "SIGN_UP is anyone"],
  [[], { CLICK_RETENTION_DAYS: "394" }, "CLICK_RETENTION_DAYS is 394: it is a number of days, 395 or more"],
  [[], { CLICK_RETENTION_DAYS: "two years" }, "CLICK_RETENTION_DAYS is two years"],
  [[], { RATE_LIMITS: "off" }, "RATE_LIMITS"],
  [[], { METRICS_PORT: "x" }, "METRICS_PORT is x"],
  [[], { PORT: "80a" }, "PORT 80a is no port"],
  [[], { HOST: "tributary.example" }, "HOST tributary.example is no IP address"],
  [[], { TRUSTED_PROXIES: "10.0.0.0/8,10.0.0.0/33" }, "TRUSTED_PROXIES 10.0.0.0/33 is no address or range"],
  [[], { BASE_URL: "tributary.example" }, "BASE_URL tributary.example is no address"],
  [[], { CLIENT_ADDRESS_HEADER: "X Y" }, "CLIENT_ADDRESS_HEADER X Y is no name of a header"],
  [[], { INSECURE_HTTP: "yes" }, "INSECURE_HTTP is yes: it is on or off"],
  [[], { TRIBUTARY_SHARDS: "0" }, "TRIBUTARY_SHARDS 0 is no number of shards"],
  [[], { WEBHOOK_ALLOW: "all" }, "WEBHOOK_ALLOW is all"],
  [[], { MAIL_HOOK: "http://mailer.example" }, "MAIL_HOOK is http://mailer.example: it is an https URL"],
  [[], { MAIL_HOOK: "https://mailer.example" }, "MAIL_HOOK needs --base-url"],
  [[], { MAIL_HOOK: "https://mailer.example", SMTP_URL: "smtp://mail.example" }, "MAIL_HOOK and SMTP_URL are both set"],
  [[], { SMTP_URL: "smtp://mail.example" }, "SMTP_URL needs MAIL_FROM"],
  [[], { MAIL_FROM: "a@shop.example" }, "MAIL_FROM is set without SMTP_URL"],
  [[], { SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@shop.example" }, "SMTP_URL needs --base-url"],
  [[], { SMTP_URL: "smtp://mail.example", MAIL_FROM: "shop" }, "MAIL_FROM is shop: it is one address"],
  [[], { SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@shop.example, b@shop.example" }, "it is one address"],
  [[], { SMTP_URL: "https://mail.example", MAIL_FROM: "a@shop.example" }, "SMTP_URL is no address"],
  [[], { SMTP_URL: "smtp://mail.example?tls=no", MAIL_FROM: "a@shop.example" }, "SMTP_URL is no address"],
  [[], { SMTP_URL: "smtp://a:100%@mail.example", MAIL_FROM: "a@shop.example" }, "write %25"],
  [[], { OIDC_NAME: "Acme" }, "OIDC_NAME needs OIDC_ISSUER"],
  [[], { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_SECRET: "s" }, "OIDC_ISSUER needs OIDC_CLIENT_ID"],
  [[], { ...oidc, OIDC_CLIENT_SECRET: "" }, "OIDC_ISSUER needs OIDC_CLIENT_SECRET"],
  [[], { ...oidc, OIDC_ISSUER: "http://id.example" }, "OIDC_ISSUER is http://id.example: it is an https URL"],
  [[], { ...oidc, OIDC_ISSUER: "https://id.example?a=b" }, "without a query"],
  [[], { ...oidc, OIDC_ISSUER: "id.example" }, "OIDC_ISSUER is id.example"],
  [[], { ...oidc, OIDC_REQUIRED: "yes" }, "OIDC_REQUIRED is yes: it is on or off"],
  [[], { ...oidc, OIDC_TRUST_EMAIL: "1" }, "OIDC_TRUST_EMAIL is 1: it is on or off"],
  [[], { ...oidc, OIDC_TRUST_MFA: "true" }, "OIDC_TRUST_MFA is true: it is on or off"],
  [[], { ...oidc, OIDC_EXCEPT: "ada" }, "OIDC_EXCEPT has ada, which is no email address"],
  [[], { ...oidc, OIDC_NAME: "n".repeat(41) }, "OIDC_NAME is longer than 40 characters"],
  [[], oidc, "OIDC_ISSUER needs --base-url"],
  [[], { OIDC_SECRET: "s" }, "OIDC_SECRET is set, which the service doesn't know"],
  [[], { MAIL_HOOK_SECRET: "short" }, "MAIL_HOOK_SECRET is shorter than 32 characters"],
  [[], { TRIBUTARY_DATAS: "/a" }, "TRIBUTARY_DATAS is set, which the service doesn't know"],
  [[], { TRIBUTARY_PORT: "8787" }, "TRIBUTARY_PORT is set, which the service doesn't know"],
  [[], { SMTP_HOST: "mail.example" }, "SMTP_HOST is set, which the service doesn't know"],
  [[], { PORT: "80", PORT_FILE: "/port" }, "PORT and PORT_FILE are both set"],
  [[], { PORT_FILE: "/nonexistent/port" }, "PORT_FILE is /nonexistent/port, which can't be read: ENOENT"],
  [[], { PORT_FILE: "/dev/null" }, "PORT_FILE is /dev/null, which is empty"],
  [[], { PORT_FILE: "/dev/zero" }, "PORT_FILE is /dev/zero, which can't be read: it has more than 64 KiB"],
])("the service rejects %j with %j", (args, env, message) => {
  const read = () => readSettings([...data, ...args], env);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ name: "UsageError", message: expect.not.stringContaining("\n") }));
});

test("the data folder can also be set by an environment variable", () => {
  expect(readSettings([], { TRIBUTARY_DATA: "/data" })).toMatchObject({ data: "/data" });
  expect(readSettings(data, { TRIBUTARY_DATA: "/data" })).toMatchObject({ data: "/var/lib/tributary" });
  expect(() => readSettings([], {})).toThrow("--data <folder>, or TRIBUTARY_DATA");
});

test.each([
  ["/srv", "data"],
  ["/srv/data", "/srv/data"],
  ["/var", "/srv/data"],
  ["/", "/srv/data"],
])("messages of a command that is run in the folder %s call the data folder %s", (folder, name) => {
  expect(shown("/srv/data", folder)).toBe(name);
});

test("each setting's value can be read from a file, and the line break at the end of the file is removed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tributary-values-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const { name } of settings) {
    const file = join(folder, name);
    await writeFile(file, `value of ${name}\n`);
    expect(valuesIn({ [`${name}_FILE`]: file })).toEqual({ [name]: `value of ${name}` });
  }
});

test("the guide lists each variable with its flag, as --help does", () => {
  const rows = readDocument("docs/self-hosting.md").matchAll(/^\| (?:`--([\w-]+)[^`]*`)? *\| `([A-Z_]+)[^`]*` \|/gm);
  const flagOf = (setting: Setting) => [setting.name, setting.flag];
  expect([...rows].map(([, flag, name]) => [name, flag])).toEqual(settings.map(flagOf));
  const help = serveHelp();
  for (const setting of settings) {
    expect(help).toContain(setting.name);
    if ("flag" in setting) expect(help).toMatch(new RegExp(`--${setting.flag} .*${setting.name}`));
  }
});

describe("the secrets of a service", () => {
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "tributary-secrets-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };

  test("the secrets of a service are generated once, for a folder without data", async () => {
    const folder = await newFolder();
    const made = await serveSecrets(folder);
    expect(Object.keys(made)).toEqual(["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET", "DATA_KEYS"]);
    expect(await serveSecrets(folder)).toEqual(made);
    expect(await serveSecrets(await newFolder(), { named: join(folder, "secrets.env") })).toEqual(made);
  });

  test("the secrets of a service aren't generated again for data that was created with other secrets", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "sqld"));
    const lacks = "secrets.env lacks CLICK_KEYS, HASH_SECRET, AUTH_SECRET, and DATA_KEYS";
    await expect(serveSecrets(folder)).rejects.toThrow(lacks);
    expect(await readdir(folder)).toEqual(["sqld"]);
  });

  test("the secrets of a service come from the environment, and only the missing ones are generated in the folder", async () => {
    const given = await serveSecrets(await newFolder());
    const { DATA_KEYS, ...others } = given;
    const folder = await newFolder();
    await serveSecrets(folder, { given });
    expect(await readdir(folder)).toEqual([]);
    const made = await serveSecrets(folder, { given: others });
    expect(made).toMatchObject(others);
    expect(await readFile(join(folder, "secrets.env"), "utf8")).toBe(`DATA_KEYS="${made.DATA_KEYS}"\n`);
    expect(await serveSecrets(folder, { given: others })).toEqual(made);
    await expect(serveSecrets(folder, { given })).rejects.toThrow("DATA_KEYS in the environment isn't the one in");
    const short = { given: { ...given, HASH_SECRET: "short" } };
    await expect(serveSecrets(await newFolder(), short)).rejects.toThrow("HASH_SECRET in the environment is shorter");
  });

  test("the secrets of a service include the secret of the mail hook if the file contains it", async () => {
    const folder = await newFolder();
    const made = await serveSecrets(folder);
    const file = join(folder, "secrets.env");
    await writeFile(file, `${await readFile(file, "utf8")}MAIL_HOOK_SECRET="signs mails"\n`);
    expect(await serveSecrets(folder)).toEqual({ ...made, MAIL_HOOK_SECRET: "signs mails" });
  });

  test.each([
    ["that doesn't exist", undefined, "is not there"],
    ["without some of them", 'HASH_SECRET="x"', "lacks CLICK_KEYS, AUTH_SECRET, and DATA_KEYS"],
    ["with invalid click keys", "CLICK_KEYS=1\nHASH_SECRET=x\nAUTH_SECRET=x\nDATA_KEYS=1", "CLICK_KEYS in"],
    [
      "with a short secret",
      `CLICK_KEYS=1:${"A".repeat(43)}\nHASH_SECRET=short\nAUTH_SECRET=short\nDATA_KEYS=1:${"A".repeat(43)}`,
      "HASH_SECRET in .* is shorter than 32",
    ],
  ])("the secrets of a service are refused from a file %s, and the file isn't changed", async (_, text, message) => {
    const folder = await newFolder();
    const file = join(folder, "named.env");
    if (text !== undefined) await writeFile(file, text);
    await expect(serveSecrets(folder, { named: file })).rejects.toThrow(new RegExp(message));
    expect(await readFile(file, "utf8").catch(() => undefined)).toBe(text);
  });

  test("the secrets of a service aren't read from a file that never ends", async () => {
    await expect(serveSecrets(await newFolder(), { named: "/dev/zero" })).rejects.toThrow("it has more than 64 KiB");
  });

  test("the secrets of a service aren't read from a folder", async () => {
    const folder = await newFolder();
    await expect(serveSecrets(folder, { named: folder })).rejects.toThrow("can't be read");
  });
});
