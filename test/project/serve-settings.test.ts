import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveSecrets } from "../../scripts/service/serve-secrets.ts";
import { readSettings } from "../../scripts/service/serve-settings.ts";

const data = ["--data", "/var/lib/tributary"];

test("by default the service is reachable only from this machine, and sign-up requires an invitation", () => {
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
])("the service refuses %j with %j", (args, env, message) => {
  const read = () => readSettings([...data, ...args], env);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ name: "UsageError", message: expect.not.stringContaining("\n") }));
});

describe("secrets", () => {
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "tributary-secrets-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };

  test("are generated once, for a folder without data", async () => {
    const folder = await newFolder();
    const made = await serveSecrets(folder, undefined);
    expect(Object.keys(made)).toEqual(["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET", "DATA_KEYS"]);
    expect(await serveSecrets(folder, undefined)).toEqual(made);
    expect(await serveSecrets(await newFolder(), join(folder, "secrets.env"))).toEqual(made);
  });

  test("aren't generated again for data that was created with others", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "sqld"));
    const lacks = "secrets.env lacks CLICK_KEYS, HASH_SECRET, AUTH_SECRET, and DATA_KEYS";
    await expect(serveSecrets(folder, undefined)).rejects.toThrow(lacks);
    expect(await readdir(folder)).toEqual(["sqld"]);
  });

  test("include the one for the mail hook if the file has it", async () => {
    const folder = await newFolder();
    const made = await serveSecrets(folder, undefined);
    const file = join(folder, "secrets.env");
    await writeFile(file, `${await readFile(file, "utf8")}MAIL_HOOK_SECRET="signs mails"\n`);
    expect(await serveSecrets(folder, undefined)).toEqual({ ...made, MAIL_HOOK_SECRET: "signs mails" });
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
  ])("are refused from a file %s, which isn't changed", async (_, text, message) => {
    const folder = await newFolder();
    const file = join(folder, "named.env");
    if (text !== undefined) await writeFile(file, text);
    await expect(serveSecrets(folder, file)).rejects.toThrow(new RegExp(message));
    expect(await readFile(file, "utf8").catch(() => undefined)).toBe(text);
  });

  test("aren't read from a folder", async () => {
    const folder = await newFolder();
    await expect(serveSecrets(folder, folder)).rejects.toThrow("can't be read");
  });
});
